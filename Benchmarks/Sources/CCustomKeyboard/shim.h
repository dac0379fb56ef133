/* SPDX-License-Identifier: Apache-2.0 */
#include <custom_keyboard.h>
