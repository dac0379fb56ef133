/* What SM4 asks of the system, declared here so that no header of the C library is pulled in. */
#ifndef CUSTOM_KEYBOARD_CSYSTEM_SHIM_H
#define CUSTOM_KEYBOARD_CSYSTEM_SHIM_H

#if defined(__linux__) || defined(__GNU__)
char *secure_getenv(const char *name); /* answers NULL in a setuid program */
static inline const char *custom_keyboard_getenv(const char *name) { return secure_getenv(name); }
#elif defined(__APPLE__) || defined(__FreeBSD__) || defined(__OpenBSD__)
char *getenv(const char *name);
int issetugid(void);
static inline const char *custom_keyboard_getenv(const char *name) { return issetugid() ? (const char *)0 : getenv(name); }
#else
static inline const char *custom_keyboard_getenv(const char *name) { (void)name; return (const char *)0; }
#endif

/* Which instructions an arm64 processor has: only the system knows. */
#if defined(__aarch64__)
#include <stdbool.h>
#if defined(__linux__)
unsigned long getauxval(unsigned long type);
static inline bool custom_keyboard_has(int bit) { return getauxval(16 /* AT_HWCAP */) >> bit & 1; }
static inline bool custom_keyboard_has_aes(void) { return custom_keyboard_has(3); }
static inline bool custom_keyboard_has_sm4(void) { return custom_keyboard_has(19); }
#elif defined(__APPLE__)
int sysctlbyname(const char *name, void *value, __SIZE_TYPE__ *size, void *newValue, __SIZE_TYPE__ newSize);
static inline bool custom_keyboard_has(const char *name) {
  int value = 0;
  __SIZE_TYPE__ size = sizeof value;
  return sysctlbyname(name, &value, &size, (void *)0, 0) == 0 && value != 0;
}
static inline bool custom_keyboard_has_aes(void) { return custom_keyboard_has("hw.optional.arm.FEAT_AES"); }
static inline bool custom_keyboard_has_sm4(void) { return custom_keyboard_has("hw.optional.arm.FEAT_SM4"); }
#else
static inline bool custom_keyboard_has_aes(void) { return false; }
static inline bool custom_keyboard_has_sm4(void) { return false; }
#endif
#endif

#endif
