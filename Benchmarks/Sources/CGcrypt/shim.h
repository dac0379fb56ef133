/* SPDX-License-Identifier: Apache-2.0 */
#include <gcrypt.h>

/* gcry_control takes a variable number of arguments, and Swift cannot call such a function. */
static inline const char *gcrypt_start(void) {
  const char *version = gcry_check_version(NULL);
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  return version;
}
