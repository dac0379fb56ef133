/*
 * Types of Apple's 64-bit systems. The headers of this folder declare what the library and mbedTLS take from
 * libSystem, and nothing else: `make check-ios` compares each name with the open headers of Darwin.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef int32_t dev_t, pid_t, blksize_t;
typedef int64_t off_t, blkcnt_t;
typedef uint16_t mode_t, nlink_t;
typedef uint32_t uid_t, gid_t;
typedef uint64_t ino_t;
typedef long ssize_t, time_t;
