#include <mbedtls/des.h>
#include <mbedtls/version.h>
