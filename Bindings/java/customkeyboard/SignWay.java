// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** How a text is signed: CUSTOM_SIGNWAY of the C header. */
public enum SignWay {
  /** ECDSA on P-256 with SHA-256. */
  P256,
  /** SM2 with SM3. */
  SM2,
  /** RSASSA-PSS with SHA-256. */
  RSA
}
