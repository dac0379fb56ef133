/*
 * Everything that the library takes from the operating system and the processor, and nothing of cryptography. (The tool
 * and the Swift interfaces also import Glibc and Dispatch.) A port to another system is one more header like linux.h.
 *
 *     linux.h       memory, wiping, randomness, locks, threads, the environment
 *     darwin.h      the same for iPhones
 *     web.h         the same for WebAssembly
 *     files.h       files and clocks; linux_files.h and darwin_files.h have what differs; WebAssembly has none
 *     compiler.h    what the compiler must not know, or must not do twice
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
#elif defined(__APPLE__) && defined(__aarch64__) && defined(__ENVIRONMENT_IPHONE_OS_VERSION_MIN_REQUIRED__)
#include "darwin.h"
#include "files.h"
#elif defined(__wasm__)
#include "web.h"
#else
#error "CustomKeyboard was tested on Linux, in WebAssembly and as code for iPhones. Others need a header like linux.h."
#endif
#include "compiler.h"
#include "processor.h"
#include "residue.h"

#endif
