// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** Who else than its owner may read a file with a secret. Nobody else may ever write it. */
public enum Readers {
  /** Nobody: 0600, 0400. */
  OWNER,
  /** A group that this process is in: 0640, 0440. Secrets of containers are often so. */
  GROUP
}
