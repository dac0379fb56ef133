/*
 * The version of all libraries.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_LIBRARY_VERSION_H
#define CUSTOM_KEYBOARD_LIBRARY_VERSION_H

__attribute__((visibility("hidden"))) const char *_Nonnull keyboard_version(void);

#endif
