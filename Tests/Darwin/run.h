/*
 * The parts of darwin-run: images (image.c), what they find in libSystem (system.c), and calls between two calling
 * conventions (calls.S).
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

struct image *load_image(const char *path);

/* A name has its underscore. NULL if it is not known. */
void *exported(const struct image *image, const char *name);
void *system_symbol(const char *name);

void begin_system(void);
uint8_t *map_whole_pages(size_t size);

/* Makes the descriptors of an image's variables call darwin_variable. */
void set_variables(struct image *image, uint8_t *descriptors, size_t size);

#endif
