/*
 * What the device keeps: a vault in a folder, and the vault's key.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DEVICE_H
#define DEVICE_H

#include <custom_vault.h>
#include <glib.h>

/* Opens the vault in a folder, or makes both. NULL, or what is wrong, which the caller frees. */
char *device_open(const char *folder, CUSTOM_VAULT *vault);

#endif
