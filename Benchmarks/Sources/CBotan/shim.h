/* SPDX-License-Identifier: Apache-2.0 */
#include <botan/ffi.h>
