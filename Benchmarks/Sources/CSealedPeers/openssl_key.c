/* SPDX-License-Identifier: Apache-2.0 */
#include "openssl_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/param_build.h>

EVP_PKEY *openssl_key(const char *type, const char *group, const uint8_t private_key[32],
                      const uint8_t public_key[65]) {
  EVP_PKEY *key = NULL;
  OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
  BIGNUM *number = BN_bin2bn(private_key, 32, NULL);
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
  OSSL_PARAM *parameters = NULL;
  if (OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) &&
      OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, public_key, 65) &&
      OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, number) &&
      (parameters = OSSL_PARAM_BLD_to_param(build)) && EVP_PKEY_fromdata_init(context) == 1)
    EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parameters);
  OSSL_PARAM_free(parameters);
  EVP_PKEY_CTX_free(context);
  BN_free(number);
  OSSL_PARAM_BLD_free(build);
  return key;
}
