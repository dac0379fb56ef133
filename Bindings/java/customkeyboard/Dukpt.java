// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** How a terminal gets its keys: CUSTOM_DUKPT of the C header. */
public enum Dukpt {
  /** ANSI X9.24-1. */
  TDES,
  /** ANSI X9.24-3, working keys of AES-128. */
  AES128,
  /** ANSI X9.24-3, working keys of AES-192. */
  AES192,
  /** ANSI X9.24-3, working keys of AES-256. */
  AES256,
  /** ANSI X9.24-3, working keys of 3DES, K1 K2. */
  AES_2TDEA,
  /** ANSI X9.24-3, working keys of 3DES, K1 K2 K3. */
  AES_3TDEA
}
