/*
 * What a program for iPhones finds in libSystem, on Linux with glibc: only what the library and its tests need. A name
 * that is not in the table at the end is an error when a program is loaded.
 *
 * A page has 16 KB, and addresses between pages are refused. No memory is writable and executable. A thread that takes
 * a lock twice, or gives back another's, ends the process. Threads have 512 KB.
 *
 * DARWIN_RUN names something to break, so that a test shows what it notices: wiping, pages, inheritance, locking,
 * random, dit, clocks, rights, links.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "run.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <wctype.h>

static const char *broken = "";
static int wipes = 1; /* whether "wiping" is not broken: it is asked so often that counted.py would see it */
int is_broken(const char *what) { return strcmp(broken, what) == 0; }

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

static size_t whole(size_t size) { return (size + DARWIN_PAGE - 1) / DARWIN_PAGE * DARWIN_PAGE; }

uint8_t *map_whole_pages(size_t size) {
  size = whole(size);
  uint8_t *pages = mmap(NULL, size + DARWIN_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) fail("no memory");
  size_t before = (DARWIN_PAGE - (uintptr_t)pages % DARWIN_PAGE) % DARWIN_PAGE;
  if (before) munmap(pages, before);
  munmap(pages + before + size, DARWIN_PAGE - before);
  return pages + before;
}

/* MAP_PRIVATE 2 and MAP_ANON 0x1000 are all that the library asks for; tests share memory, with 1, with children. */
static void *on_mmap(void *address, size_t size, int protection, int flags, int file, int64_t offset) {
  (void)file, (void)offset;
  if (address || (flags & ~3) != 0x1000) fail("mmap with flags %#x", (unsigned)flags);
  if ((protection & 6) == 6 || size == 0 || size > SIZE_MAX / 2) return errno = EINVAL, MAP_FAILED;
  uint8_t *pages = map_whole_pages(size);
  if (flags & 1) return mmap(pages, whole(size), protection, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  if (protection != 3) mprotect(pages, whole(size), protection);
  return pages;
}
static int is_page(const void *address) {
  if ((uintptr_t)address % DARWIN_PAGE == 0) return 1;
  errno = EINVAL;
  return 0;
}

/* What minherit and mlock were asked for, for state.c. */
enum { MOST_RANGES = 1 << 15, INHERITED = 1, LOCKED = 2 };
static struct range {
  uint8_t *start, *end;
  int asked;
} ranges[MOST_RANGES];
static int range_count;
static pthread_mutex_t ranges_lock = PTHREAD_MUTEX_INITIALIZER;

static void note(void *address, size_t size, int asked) {
  uint8_t *start = address, *end = start + whole(size);
  pthread_mutex_lock(&ranges_lock);
  int i = 0;
  while (i < range_count && (ranges[i].start != start || ranges[i].end != end)) i++;
  if (i == MOST_RANGES) fail("too many ranges");
  if (i == range_count) ranges[range_count++] = (struct range){start, end, 0};
  ranges[i].asked |= asked;
  pthread_mutex_unlock(&ranges_lock);
}
static void forget(uint8_t *start, uint8_t *end) {
  pthread_mutex_lock(&ranges_lock);
  int kept = 0; /* in their order, by which locked.h tells them apart */
  for (int i = 0; i < range_count; i++)
    if (ranges[i].start < start || ranges[i].end > end) ranges[kept++] = ranges[i];
  range_count = kept;
  pthread_mutex_unlock(&ranges_lock);
}
/* How many bytes were asked for, with minherit (1), mlock (2) or both. */
static size_t on_asked(int what) {
  size_t sum = 0;
  pthread_mutex_lock(&ranges_lock);
  for (int i = 0; i < range_count; i++)
    if ((ranges[i].asked & what) == what) sum += (size_t)(ranges[i].end - ranges[i].start);
  pthread_mutex_unlock(&ranges_lock);
  return sum;
}

static int on_munmap(void *address, size_t size) {
  if (!is_page(address)) return -1;
  forget(address, (uint8_t *)address + whole(size));
  return munmap(address, whole(size));
}
static int on_mprotect(void *address, size_t size, int protection) {
  if ((protection & 6) == 6) return errno = EINVAL, -1;
  return is_page(address) ? mprotect(address, whole(size), protection) : -1;
}
static int on_mlock(void *address, size_t size) {
  if (!is_page(address)) return -1;
  if (is_broken("locking")) return errno = EAGAIN, -1;
  note(address, size, LOCKED);
  return 0;
}
static int on_minherit(void *address, size_t size, int how) {
  if (!is_page(address)) return -1;
  if (how != 2 || is_broken("inheritance")) return errno = EINVAL, -1;
  note(address, size, INHERITED);
  return 0;
}
static int on_memset_s(void *to, size_t capacity, int byte, size_t size) {
  if (to == NULL || size > capacity) return EINVAL;
  if (wipes) memset(to, byte, size);
  __asm__ volatile("" ::"r"(to) : "memory");
  return 0;
}
static void on_bzero(void *to, size_t size) { memset(to, 0, size); }
static int on_getpagesize(void) { return DARWIN_PAGE; }
static long on_sysconf(int name) {
  if (name != 29) fail("sysconf(%d)", name);
  return is_broken("pages") ? 4096 : DARWIN_PAGE;
}

/* ---- The processor and randomness -------------------------------------------------------------------------------- */

static int is_dit_set(void) {
  uint64_t state;
  __asm__ volatile("mrs %0, S3_3_C4_C2_5" : "=r"(state));
  return state >> 24 & 1;
}
static int on_sysctlbyname(const char *name, void *value, size_t *size, void *next, size_t next_size) {
  (void)next, (void)next_size;
  if (strcmp(name, "hw.optional.arm.FEAT_DIT") != 0) fail("sysctlbyname(\"%s\")", name);
  int is_there = !is_broken("dit");
  if (*size < sizeof is_there) return errno = ENOMEM, -1;
  memcpy(value, &is_there, sizeof is_there);
  *size = sizeof is_there;
  return 0;
}

/* How often random numbers were drawn, in all or with DIT: the library does so in the middle of its calls. */
static atomic_ulong draws, draws_with_dit, refused;
static unsigned long on_draws(int with_dit) { return atomic_load(with_dit ? &draws_with_dit : &draws); }
/* The next `count` draws give nothing. */
static void on_refuse(unsigned long count) { atomic_store(&refused, count); }
static int on_random(void *memory, size_t size) {
  draws++;
  if (is_dit_set()) draws_with_dit++;
  if (atomic_load(&refused) > 0) {
    refused--;
    return -4300;
  }
  if (is_broken("random")) return memset(memory, 7, size), 0;
  for (uint8_t *at = memory; size > 0;) {
    long count = syscall(SYS_getrandom, at, size, 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return -4300;
    at += count, size -= (size_t)count;
  }
  return 0;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* Asked of the system once. The thread of a forked child keeps its parent's number, and so its locks. */
static uint32_t this_thread(void) {
  static _Thread_local uint32_t number;
  if (number == 0) number = (uint32_t)syscall(SYS_gettid);
  return number;
}
static _Bool on_trylock(_Atomic uint32_t *lock) {
  uint32_t nobody = 0;
  return atomic_compare_exchange_strong(lock, &nobody, this_thread());
}
static void on_lock(_Atomic uint32_t *lock) {
  if (atomic_load(lock) == this_thread()) fail("os_unfair_lock_lock: taken twice");
  while (!on_trylock(lock)) sched_yield();
}
static void on_unlock(_Atomic uint32_t *lock) {
  if (atomic_exchange(lock, 0) != this_thread()) fail("os_unfair_lock_unlock: not this thread's");
}
static int on_thread_switch(unsigned thread, int option, unsigned milliseconds) {
  const struct timespec moment = {milliseconds / 1000, (long)(milliseconds % 1000) * 1000000};
  if (thread != 0 || option != 2) fail("thread_switch with option %d", option);
  syscall(SYS_nanosleep, &moment, NULL);
  return 0;
}

/* There: DISABLE 0, ENABLE 1; ASYNCHRONOUS 0, DEFERRED 2. */
static int on_setcancelstate(int state, int *before) {
  int own, error = pthread_setcancelstate(state ? PTHREAD_CANCEL_ENABLE : PTHREAD_CANCEL_DISABLE, &own);
  if (before) *before = own == PTHREAD_CANCEL_ENABLE;
  return error;
}
static int on_setcanceltype(int type, int *before) {
  int own, error = pthread_setcanceltype(type == 2 ? PTHREAD_CANCEL_DEFERRED : PTHREAD_CANCEL_ASYNCHRONOUS, &own);
  if (before) *before = own == PTHREAD_CANCEL_DEFERRED ? 2 : 0;
  return error;
}
static int on_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *argument) {
  pthread_attr_t own;
  if (attributes) fail("pthread_create with attributes");
  pthread_attr_init(&own), pthread_attr_setstacksize(&own, 512 << 10);
  int error = pthread_create(thread, &own, start, argument);
  pthread_attr_destroy(&own);
  return error;
}

/* Bit n−1 is signal n. Those below have other numbers on Linux; all that a test needs is that what was held back, or
 * not, is so again. */
static _Thread_local uint32_t held;
static int on_sigmask(int how, const uint32_t *set, uint32_t *before) {
  if (before) *before = held;
  if (set && how != 1 && how != 3) return EINVAL;
  if (set) held = how == 1 ? held | *set : *set;
  return 0;
}

/* A thread's variables: an image has a key. */
struct descriptor {
  void *thunk;
  uint64_t key, offset;
};
extern char darwin_variable[];
static struct image *keyed[MOST_IMAGES];
static pthread_key_t keys[MOST_IMAGES];
void set_variables(struct image *image, uint8_t *descriptors, size_t size) {
  static int count;
  keyed[count] = image;
  pthread_key_create(&keys[count], free);
  for (struct descriptor *each = (void *)descriptors; size >= sizeof *each; each++, size -= sizeof *each)
    each->thunk = darwin_variable, each->key = (uint64_t)count;
  count++;
}
void *find_variable(const struct descriptor *descriptor);
void *find_variable(const struct descriptor *descriptor) {
  const struct image *image = keyed[descriptor->key];
  uint8_t *block = pthread_getspecific(keys[descriptor->key]);
  if (!block) {
    block = aligned_alloc(64, (image->variables_size + 63) / 64 * 64);
    memcpy(block, image->variables, image->variables_size);
    pthread_setspecific(keys[descriptor->key], block);
  }
  return block + descriptor->offset;
}

/* ---- Arguments of `…` ------------------------------------------------------------------------------------------ */

/* A list of Linux's that is all on a stack. */
static void list_on(va_list *list, void *stack) {
  const struct {
    void *stack, *general, *vector;
    int generals, vectors;
  } own = {stack, NULL, NULL, 0, 0};
  _Static_assert(sizeof own == sizeof *list, "va_list");
  memcpy(list, &own, sizeof own);
}
int on_printf(const char *format, void *stack);
int on_printf(const char *format, void *stack) {
  va_list list;
  list_on(&list, stack);
  return vprintf(format, list);
}
int on_fprintf(FILE *file, const char *format, void *stack);
int on_fprintf(FILE *file, const char *format, void *stack) {
  va_list list;
  list_on(&list, stack);
  return vfprintf(file, format, list);
}
int on_snprintf(char *to, size_t size, const char *format, void *stack);
int on_snprintf(char *to, size_t size, const char *format, void *stack) {
  va_list list;
  list_on(&list, stack);
  return vsnprintf(to, size, format, list);
}
int on_sscanf(const char *text, const char *format, void *stack);
int on_sscanf(const char *text, const char *format, void *stack) {
  va_list list;
  list_on(&list, stack);
  return vsscanf(text, format, list);
}
int on_fscanf(FILE *file, const char *format, void *stack);
int on_fscanf(FILE *file, const char *format, void *stack) {
  va_list list;
  list_on(&list, stack);
  return vfscanf(file, format, list);
}
/* The pages that minherit was asked for, as Linux describes them: kept.c looks for them. */
int open_ranges(void) {
  int file = memfd_create("smaps", MFD_CLOEXEC);
  pthread_mutex_lock(&ranges_lock);
  for (int i = 0; i < range_count; i++)
    if (ranges[i].asked & INHERITED)
      dprintf(file, "%lx-%lx rw-p 00000000 00:00 0\nVmFlags: rd wr wf \n", (unsigned long)ranges[i].start,
              (unsigned long)ranges[i].end);
  pthread_mutex_unlock(&ranges_lock);
  lseek(file, 0, SEEK_SET);
  return file;
}
static FILE *on_fopen(const char *path, const char *mode) {
  return strcmp(path, "/proc/self/smaps") == 0 ? fdopen(open_ranges(), mode) : fopen(path, mode);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static int *on_error(void) { return &errno; }
static int on_issetugid(void) { return 0; }
static void on_overflow(void) { fail("the stack was written over"); }
static uint64_t guard;

extern char darwin_printf[], darwin_fprintf[], darwin_snprintf[], darwin_sscanf[], darwin_fscanf[];

static const struct symbol table[] = {
    /* the same on both: no structure, no constant, no `…` */
    SAME(_exit), SAME(alarm), SAME(atexit), SAME(calloc), SAME(close), SAME(exit), SAME(fclose), SAME(fflush),
    SAME(fgets), SAME(fputc), SAME(fputs), SAME(fread), SAME(free), SAME(fwrite), SAME(getenv),
    SAME(malloc), SAME(memchr), SAME(memcmp), SAME(memcpy), SAME(memmem), SAME(memmove), SAME(memset),
    SAME(nanosleep), SAME(nextafter), SAME(perror), SAME(posix_memalign), SAME(pread), SAME(pthread_cancel),
    SAME(pthread_join), SAME(pthread_self), SAME(pthread_testcancel), SAME(putchar), SAME(puts), SAME(qsort),
    SAME(read), SAME(sched_yield), SAME(strchr), SAME(strcmp), SAME(strcspn), SAME(strlen), SAME(strncat),
    SAME(strncmp), SAME(strstr), SAME(strtok), SAME(strtoul), SAME(strtoull), SAME(time), SAME(timespec_get),
    SAME(usleep),
    /* what disturb.h calls */
    SAME(abs), SAME(access), SAME(atof), SAME(atoi), SAME(atol), SAME(atoll), SAME(btowc), SAME(clock), SAME(difftime),
    SAME(div), SAME(drand48), SAME(ffs), SAME(getegid), SAME(getgid), SAME(getpgrp), SAME(getppid), SAME(getuid),
    SAME(isalpha), SAME(isatty), SAME(isblank), SAME(iscntrl), SAME(isdigit), SAME(isgraph), SAME(islower),
    SAME(isprint), SAME(ispunct), SAME(isspace), SAME(isupper), SAME(iswalpha), SAME(iswdigit), SAME(iswpunct),
    SAME(iswspace), SAME(isxdigit), SAME(labs), SAME(ldiv), SAME(llabs), SAME(lldiv), SAME(lrand48), SAME(mblen),
    SAME(mrand48), SAME(rand), SAME(random), SAME(strcasecmp), SAME(strcoll), SAME(strncasecmp), SAME(strnlen),
    SAME(strpbrk), SAME(strsep), SAME(strtod), SAME(strtof), SAME(strtol), SAME(strtold), SAME(strtoll), SAME(tolower),
    SAME(toupper), SAME(towlower), SAME(towupper), SAME(wcschr), SAME(wcscmp), SAME(wcslen), SAME(wctob),
    /* not the same */
    OWN(CCRandomGenerateBytes, on_random), OWN(__error, on_error), OWN(__stack_chk_fail, on_overflow),
    OWN(_tlv_bootstrap, on_overflow), OWN(bzero, on_bzero), OWN(getpagesize, on_getpagesize),
    OWN(issetugid, on_issetugid), OWN(memset_s, on_memset_s),
    OWN(minherit, on_minherit), OWN(mlock, on_mlock), OWN(mmap, on_mmap), OWN(mprotect, on_mprotect),
    OWN(munmap, on_munmap), OWN(os_unfair_lock_lock, on_lock), OWN(os_unfair_lock_trylock, on_trylock),
    OWN(os_unfair_lock_unlock, on_unlock), OWN(pthread_create, on_create),
    OWN(pthread_setcancelstate, on_setcancelstate), OWN(pthread_setcanceltype, on_setcanceltype),
    OWN(pthread_sigmask, on_sigmask), OWN(sysconf, on_sysconf), OWN(sysctlbyname, on_sysctlbyname),
    OWN(thread_switch, on_thread_switch), OWN(printf, darwin_printf), OWN(fprintf, darwin_fprintf),
    OWN(snprintf, darwin_snprintf), OWN(sscanf, darwin_sscanf), OWN(fscanf, darwin_fscanf), OWN(fopen, on_fopen),
    /* no functions */
    OWN(__stack_chk_guard, &guard), OWN(__stderrp, &stderr), OWN(__stdoutp, &stdout), OWN(__stdinp, &stdin),
    /* for state.c */
    OWN(darwin_run_asked, on_asked), OWN(darwin_run_draws, on_draws), OWN(darwin_run_refuse, on_refuse),
};

void *system_symbol(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].place;
  return file_symbol(name);
}

void begin_system(void) {
  const char *what = getenv("DARWIN_RUN");
  if (what) broken = what, wipes = strcmp(what, "wiping") != 0;
  if (syscall(SYS_getrandom, &guard, sizeof guard, 0) != sizeof guard) fail("no random numbers");
}
