/* SPDX-License-Identifier: Apache-2.0 */
#include <gcrypt.h>

/* gcry_control takes any number of arguments, and Swift calls no such function. */
static inline const char *gcrypt_start(void) {
  const char *version = gcry_check_version(NULL);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  return version;
}
