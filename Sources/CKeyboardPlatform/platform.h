/*
 * Everything that the library takes from the operating system and the processor, and nothing of cryptography. (The tool
 * and the Swift interfaces also import Glibc and Dispatch.) A port to another system is one more header like linux.h.
 *
 *     linux.h       memory, wiping, randomness, locks, threads, the environment
 *     files.h       files, of Linux only
 *     web.h         the same for WebAssembly
 *     processor.h   which instructions this processor has
 *     residue.h     zeroing the stack and the registers after a computation on secrets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_PLATFORM_H
#define CUSTOM_KEYBOARD_PLATFORM_H

#if defined(__linux__)
#include "linux.h"
#include "files.h"
#elif defined(__wasm__)
#include "web.h"
#else
#error "CustomKeyboard has only been tested on Linux and in WebAssembly. Another system needs a header like linux.h."
#endif
#include "processor.h"
#include "residue.h"

#endif
