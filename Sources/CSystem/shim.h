/* The one function of the C library that SM4 calls, declared here so that no header of it is pulled in. */
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

#endif
