// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** How a password is encrypted: CUSTOM_ENCWAY of the C header. Take X25519 or XWING if nothing speaks against it. */
public enum Way {
  /** ECB, key of 8 bytes; broken. */
  DES,
  /** ECB, 3DES, key of 16 or 24 bytes; retired. */
  TRIPLE_DES,
  /** ECB, key of 16 bytes. */
  SM4,
  /** SM4-GCM under 16 bytes that both ends have. */
  SM4_GCM,
  /** HPKE with X25519 and ChaCha20-Poly1305. */
  X25519,
  /** HPKE with P-256 and AES-256-GCM. */
  P256,
  /** SM2 of a fresh key for SM4-GCM. */
  SM2,
  /** RSAES-OAEP with SHA-256. */
  RSA,
  /** HPKE with X-Wing (ML-KEM-768 and X25519) and AES-256-GCM. */
  XWING,
  /** PIN block of ISO 9564-1 format 0, 3DES. */
  PIN0,
  /** PIN block of format 1, 3DES; without an account number. */
  PIN1,
  /** PIN block of format 3, 3DES. */
  PIN3,
  /** PIN block of format 4, AES. */
  PIN4
}
