/*
 * The process, and calls on descriptors and names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define _SC_PAGESIZE 29
#define W_OK (1 << 1)

long sysconf(int name);
pid_t getpid(void);
uid_t geteuid(void);
int issetugid(void);
int close(int file);
int fsync(int file);
int faccessat(int folder, const char *path, int mode, int flags);
int link(const char *from, const char *to);
int unlink(const char *path);
int unlinkat(int folder, const char *path, int flags);

#ifdef __cplusplus
}
#endif
