/*
 * darwin-run: runs a program for iPhones (Mach-O, arm64) on arm64 Linux, for tests. It maps a program and a library,
 * binds their chained fixups, and calls `main`. There is no kernel of Apple's here: the code is tested that a device
 * would run, and not what its system does with it.
 *
 *     qemu-aarch64 -L /usr/aarch64-linux-gnu darwin-run LIBRARY[:LIBRARY…] PROGRAM [ARGUMENT…]
 *
 * The numbers are those of Apple's <mach-o/loader.h> and <mach-o/fixup-chains.h>. Whatever else a file has is refused.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "run.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAGIC UINT32_C(0xfeedfacf)
enum { SEGMENT = 0x19, LOAD_DYLIB = 0xc };
#define MAIN UINT32_C(0x80000028)
#define CHAINED_FIXUPS UINT32_C(0x80000034)
#define EXPORTS_TRIE UINT32_C(0x80000033)
#define DYLD_INFO_ONLY UINT32_C(0x80000022)
enum { KIND_POINTERS = 0x9, KIND_FIRST_VALUES = 0x11, KIND_FIRST_ZEROS, KIND_VARIABLES, KIND_OFFSETS = 0x16 };

struct header {
  uint32_t magic, processor, variant, kind, count, size, flags, reserved;
};
struct segment {
  uint32_t command, size;
  char name[16];
  uint64_t address, memory, offset, length;
  uint32_t most, first, sections, flags;
};
struct section {
  char name[16], segment[16];
  uint64_t address, size;
  uint32_t offset, alignment, relocations, relocation_count, flags, reserved[3];
};
struct fixups {
  uint32_t version, starts, imports, symbols, count, format, compression;
};

static struct image images[MOST_IMAGES];
static int image_count;

void fail(const char *format, ...) {
  va_list rest;
  va_start(rest, format);
  fputs("darwin-run: ", stderr);
  vfprintf(stderr, format, rest);
  fputc('\n', stderr);
  va_end(rest);
  exit(125);
}

static const char *last_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* ---- Exported names ---------------------------------------------------------------------------------------------- */

static uint64_t leb128(const uint8_t **at) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = *(*at)++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

void *exported(const struct image *image, const char *name) {
  const uint8_t *at = image->trie;
  while (at) {
    uint64_t terminal = leb128(&at);
    if (*name == 0) {
      if (terminal == 0) return NULL;
      if (leb128(&at) & 0x18) fail("%s: an export that is not its own", image->name);
      return image->base + leb128(&at);
    }
    at += terminal;
    const uint8_t *next = NULL;
    for (int left = *at++; left > 0 && !next; left--) {
      size_t length = strlen((const char *)at);
      int is_it = strncmp((const char *)at, name, length) == 0;
      at += length + 1;
      uint64_t child = leb128(&at);
      if (is_it) next = image->trie + child, name += length;
    }
    at = next;
  }
  return NULL;
}

/* ---- Fixups ------------------------------------------------------------------------------------------------------ */

/* `library` is the number of a library, or negative: a program that was linked without stubs looks everywhere. */
static void *resolve(const struct image *image, int library, const char *name) {
  void *found = NULL;
  if (library > image->library_count) fail("%s: no library %d", image->name, library);
  if (library > 0) {
    const struct image *from = image->libraries[library - 1];
    found = from ? exported(from, name) : system_symbol(name);
  } else {
    for (int i = 0; i < image_count && !found; i++) found = exported(&images[i], name);
    if (!found) found = system_symbol(name);
  }
  if (!found) fail("%s: %s is not known", image->name, name);
  return found;
}

/* A pointer of a chain: bits 63 bind, 51 … 62 next (4 bytes each), then an index and an addend, or an offset. */
static void fix_chain(const struct image *image, uint8_t *at, void *const *targets, uint64_t low, int is_offset) {
  for (uint64_t word, next = 1; next; at += 4 * next) {
    memcpy(&word, at, sizeof word);
    uint64_t value = word >> 63 ? (uint64_t)targets[word & 0xffffff] + (word >> 24 & 0xff)
                                : (uint64_t)image->base + (word & 0xfffffffff) - (is_offset ? 0 : low);
    memcpy(at, &value, sizeof value);
    next = word >> 51 & 0xfff;
  }
}

static void fix(const struct image *image, const uint8_t *blob, uint64_t low) {
  const struct fixups *fixups = (const void *)blob;
  const uint32_t *segments = (const void *)(blob + fixups->starts);
  if (fixups->format != 1 || fixups->compression != 0) fail("%s: imports of format %u", image->name, fixups->format);
  void **targets = calloc(fixups->count + 1, sizeof *targets);
  for (uint32_t i = 0; i < fixups->count; i++) {
    uint32_t word;
    memcpy(&word, blob + fixups->imports + 4 * i, sizeof word);
    targets[i] = resolve(image, (int8_t)word, (const char *)blob + fixups->symbols + (word >> 9));
  }
  for (uint32_t i = 0; i < segments[0]; i++) {
    const uint8_t *starts = (const uint8_t *)segments + segments[1 + i];
    uint16_t size, format, pages, start;
    uint64_t offset;
    if (segments[1 + i] == 0) continue;
    memcpy(&size, starts + 4, 2), memcpy(&format, starts + 6, 2), memcpy(&offset, starts + 8, 8);
    memcpy(&pages, starts + 20, 2);
    if (format != 2 && format != 6) fail("%s: pointers of format %u", image->name, format);
    for (uint16_t page = 0; page < pages; page++) {
      memcpy(&start, starts + 22 + 2 * page, 2);
      uint8_t *at = image->base + offset + (uint64_t)page * size + start;
      if (start != 0xffff) fix_chain(image, at, targets, low, format == 6);
    }
  }
  free(targets);
}

/* ---- Mapping ----------------------------------------------------------------------------------------------------- */

static const uint8_t *next_command(const uint8_t *at) { return at + ((const uint32_t *)(const void *)at)[1]; }

static int is_mapped(const struct segment *segment) {
  return segment->command == SEGMENT && strcmp(segment->name, "__PAGEZERO") != 0;
}

static void take_sections(struct image *image, const struct segment *segment, uint64_t low) {
  const struct section *section = (const void *)(segment + 1);
  for (uint32_t i = 0; i < segment->sections; i++, section++) {
    uint8_t *place = image->base + (section->address - low);
    int kind = section->flags & 0xff;
    if (kind == KIND_POINTERS || kind == KIND_OFFSETS) fail("%s: code that runs before main", image->name);
    if (kind == KIND_FIRST_VALUES || kind == KIND_FIRST_ZEROS) {
      if (!image->variables) image->variables = place;
      image->variables_size = (size_t)(place + section->size - image->variables);
    }
    if (kind == KIND_VARIABLES) set_variables(image, place, section->size);
  }
}

struct image *load_image(const char *path) {
  struct stat about;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0 || fstat(file, &about) != 0 || image_count == MOST_IMAGES) fail("%s cannot be read", path);
  const uint8_t *bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  const struct header *header = (const void *)bytes;
  if (bytes == MAP_FAILED || header->magic != MAGIC) fail("%s is not for arm64", path);
  const uint8_t *first = bytes + sizeof *header, *at, *chains = NULL;
  uint64_t low = UINT64_MAX, high = 0;
  at = first;
  for (uint32_t i = 0; i < header->count; i++, at = next_command(at)) {
    const struct segment *segment = (const void *)at;
    if (!is_mapped(segment)) continue;
    if (segment->address % DARWIN_PAGE || (segment->first & 6) == 6) fail("%s: %s", path, segment->name);
    if (segment->address < low) low = segment->address;
    if (segment->address + segment->memory > high) high = segment->address + segment->memory;
  }
  struct image *image = &images[image_count++];
  image->name = last_part(path);
  image->base = map_whole_pages(high - low);
  at = first;
  for (uint32_t i = 0; i < header->count; i++, at = next_command(at)) {
    const struct segment *segment = (const void *)at;
    const uint32_t *words = (const void *)at;
    if (is_mapped(segment)) memcpy(image->base + (segment->address - low), bytes + segment->offset, segment->length);
    if (words[0] == LOAD_DYLIB) {
      const char *name = last_part((const char *)at + words[2]);
      struct image *library = NULL;
      for (int j = 0; j < image_count; j++)
        if (strcmp(images[j].name, name) == 0) library = &images[j];
      image->libraries[image->library_count++] = library;
    }
    if (words[0] == CHAINED_FIXUPS) chains = bytes + words[2];
    if (words[0] == EXPORTS_TRIE && words[3]) image->trie = bytes + words[2];
    if (words[0] == MAIN) image->entry = image->base + words[2];
    if (words[0] == DYLD_INFO_ONLY) fail("%s: no chained fixups", path);
  }
  if (chains) fix(image, chains, low);
  at = first;
  for (uint32_t i = 0; i < header->count; i++, at = next_command(at)) {
    const struct segment *segment = (const void *)at;
    if (!is_mapped(segment)) continue;
    take_sections(image, segment, low);
    int is_constant = segment->flags >> 4 & 1; /* __DATA_CONST, after its fixups */
    mprotect(image->base + (segment->address - low), (segment->memory + DARWIN_PAGE - 1) / DARWIN_PAGE * DARWIN_PAGE,
             (int)(is_constant ? 1 : segment->first));
  }
  return image;
}

int main(int count, char **arguments) {
  if (count < 3) fail("darwin-run LIBRARY[:LIBRARY…] PROGRAM [ARGUMENT…]");
  begin_system();
  const char *const command[] = {arguments[0], strdup(arguments[1]), arguments[2], NULL};
  set_command(command);
  for (char *path = strtok(arguments[1], ":"); path; path = strtok(NULL, ":")) load_image(path);
  struct image *program = load_image(arguments[2]);
  if (!program->entry) fail("%s has no main", arguments[2]);
  exit(((int (*)(int, char **))(void *)program->entry)(count - 2, arguments + 2));
}
