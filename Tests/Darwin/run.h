/*
 * The parts of darwin-run: images (image.c), what they find in libSystem (system.c, files.c, signals.c), and calls
 * between two calling conventions (calls.S).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DARWIN_RUN_H
#define DARWIN_RUN_H

#include <stddef.h>
#include <stdint.h>

enum { DARWIN_PAGE = 16384, MOST_IMAGES = 4 };

/* A program or a library, mapped. */
struct image {
  const char *name; /* the last part of its path */
  uint8_t *base, *entry;
  const uint8_t *trie;      /* of its exported names */
  const uint8_t *variables; /* first values of a thread's variables */
  size_t variables_size;
  struct image *libraries[8]; /* by number; NULL is the system */
  int library_count;
};

__attribute__((noreturn, format(printf, 1, 2))) void fail(const char *format, ...);

/* Whether it is what DARWIN_RUN names: system.c. */
int is_broken(const char *what);

struct image *load_image(const char *path);

/* A name has its underscore. NULL if it is not known. */
void *exported(const struct image *image, const char *name);
void *system_symbol(const char *name);
void *file_symbol(const char *name);
void *signal_symbol(const char *name);

/* What the two find them in. SAME is the same on both systems: no structure, no constant, no `…`. */
struct symbol {
  const char *name;
  void *place;
};
#define SAME(name) {"_" #name, (void *)name}
#define OWN(name, place) {"_" #name, (void *)place}

void begin_system(void);

/* How the program was started, without the emulator and its arguments. */
void set_command(const char *const *command);

/* What /proc/self/smaps says here: a descriptor. */
int open_ranges(void);
uint8_t *map_whole_pages(size_t size);

/* Makes the descriptors of an image's variables call darwin_variable. */
void set_variables(struct image *image, uint8_t *descriptors, size_t size);

#endif
