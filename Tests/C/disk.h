/*
 * What a power cut leaves of a folder. A write is on the disk when its file was synced afterwards, and a name when its
 * folder was. Until then, each sector of each write may be there, be missing, be there in part, or be garbage; each
 * change of a name may be there or not.
 *
 * A power cut is made up from the calls that faulty.h writes down: after any of them, as often as one likes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef DISK_H
#define DISK_H

#include "faulty.h"

enum { SECTOR = 512, DISK_FILES = 128, DISK_NAMES = 128, DISK_EVENTS = 4096 };

/* A file, whether it has a name or not. */
typedef struct disk_file {
  uint8_t *bytes; /* what is on the disk for certain */
  size_t size;
} disk_file;

typedef struct disk_name {
  char text[64]; /* in the folder; "" for a place that is free */
  int file;
} disk_name;

/* A call. Its file is known when it happens: a name may be given to another file later. */
typedef struct disk_record {
  enum disk_event event;
  int file;
  char name[64];
  uint8_t *bytes;
  size_t count;
  sqlite3_int64 offset;
} disk_record;

static struct disk {
  char folder[256]; /* "": nothing is written down */
  disk_file files[DISK_FILES];
  int file_count;
  disk_name first[DISK_NAMES], names[DISK_NAMES]; /* when the writing down began; as the process sees them now */
  disk_record records[DISK_EVENTS];
  size_t record_count;
} disk;

static uint64_t disk_seed;
static uint32_t disk_draw(uint32_t below) {
  disk_seed += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t word = (disk_seed ^ disk_seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((word ^ word >> 31) % below);
}

static disk_name *find_name(const char *text) {
  for (int i = 0; i < DISK_NAMES; i++)
    if (strcmp(disk.names[i].text, text) == 0) return &disk.names[i];
  return NULL;
}

static const char *name_in_folder(const char *path) {
  size_t length = strlen(disk.folder);
  if (length == 0 || path == NULL || strncmp(path, disk.folder, length) != 0 || path[length] != '/') return NULL;
  return strchr(path + length + 1, '/') == NULL ? path + length + 1 : NULL;
}

static int new_disk_file(void) {
  REQUIRE(disk.file_count < DISK_FILES);
  disk.files[disk.file_count] = (disk_file){NULL, 0};
  return disk.file_count++;
}

static void give_name(const char *text, int file) {
  disk_name *place = find_name("");
  REQUIRE(place != NULL && strlen(text) < sizeof place->text);
  strcpy(place->text, text);
  place->file = file;
}

/* Writes a call down. */
static void record_change(enum disk_event event, const char *path, const char *to, const void *bytes, size_t count,
                          sqlite3_int64 offset) {
  const char *name = name_in_folder(path);
  if (event == DISK_SYNC_FOLDER ? strcmp(path, disk.folder) != 0 && name == NULL : name == NULL) return;
  disk_name *known = event == DISK_SYNC_FOLDER ? NULL : find_name(name);
  REQUIRE(disk.record_count < DISK_EVENTS);
  disk_record *made = &disk.records[disk.record_count++];
  *made = (disk_record){event, known != NULL ? known->file : -1, "", NULL, count, offset};
  if (event == DISK_WRITE) {
    REQUIRE((made->bytes = malloc(count + 1)) != NULL);
    memcpy(made->bytes, bytes, count);
  }
  if (event == DISK_CREATE) give_name(name, made->file = new_disk_file());
  if (event == DISK_LINK) give_name(name_in_folder(to), made->file);
  if (event == DISK_UNLINK && known != NULL) known->text[0] = 0;
  if (event == DISK_CREATE || event == DISK_UNLINK) strcpy(made->name, name);
  if (event == DISK_LINK) strcpy(made->name, name_in_folder(to));
  REQUIRE(event == DISK_SYNC_FOLDER || made->file >= 0);
}

/* ---- Power cuts ------------------------------------------------------------------------------------------------- */

/* How much survives of what was not synced. */
enum survival { NOTHING, EVERYTHING, PARTS, SURVIVALS };

static struct image {
  disk_file files[DISK_FILES];
  disk_name names[DISK_NAMES];
} image;

static void resize(disk_file *file, size_t size) {
  REQUIRE((file->bytes = realloc(file->bytes, size + 1)) != NULL);
  if (size > file->size) memset(file->bytes + file->size, 0, size - file->size);
  file->size = size;
}

/* Applies a write, whole or as it was at the power cut: each sector on its own. */
static void apply_write(disk_file *file, const disk_record *made, enum survival survival) {
  if (survival == NOTHING) return;
  size_t start = (size_t)made->offset, end = start + made->count;
  for (size_t at = start, next; at < end; at = next) {
    next = (at / SECTOR + 1) * SECTOR;
    if (next > end) next = end;
    unsigned fate = survival == EVERYTHING ? 0 : disk_draw(5);
    if (fate == 1) continue; /* missing */
    if (file->size < next) resize(file, next);
    size_t part = fate == 2 ? disk_draw((uint32_t)(next - at)) : next - at;
    memcpy(file->bytes + at, made->bytes + (at - start), part);
    for (size_t i = at; fate == 3 && i < next; i++) file->bytes[i] = (uint8_t)disk_draw(256);
  }
}

static void apply_to_file(disk_file *file, const disk_record *made, enum survival survival) {
  if (made->event == DISK_WRITE) apply_write(file, made, survival);
  int is_there = survival == EVERYTHING || (survival == PARTS && disk_draw(2));
  if (made->event == DISK_TRUNCATE && is_there) resize(file, (size_t)made->offset);
}

static void apply_to_names(disk_name *names, const disk_record *made) {
  for (int i = 0; made->event == DISK_UNLINK && i < DISK_NAMES; i++)
    if (names[i].file == made->file && strcmp(names[i].text, made->name) == 0) names[i].text[0] = 0;
  if (made->event != DISK_CREATE && made->event != DISK_LINK) return;
  /* A name whose removal was lost gets the next file. */
  int place = 0;
  while (place < DISK_NAMES && strcmp(names[place].text, made->name) != 0) place++;
  for (int i = 0; place == DISK_NAMES; i++)
    if (names[i].text[0] == 0) place = i;
  names[place].file = made->file;
  strcpy(names[place].text, made->name);
}

static int changes_a_name(const disk_record *made) {
  return made->event == DISK_CREATE || made->event == DISK_LINK || made->event == DISK_UNLINK;
}

/* Whether a call is on the disk for certain after the first `count` calls. */
static int is_synced(size_t number, size_t count) {
  const disk_record *made = &disk.records[number];
  for (size_t i = number + 1; i < count; i++) {
    const disk_record *later = &disk.records[i];
    if (changes_a_name(made)) {
      if (later->event == DISK_SYNC_FOLDER) return 1;
    } else if (later->event == DISK_SYNC && later->file == made->file) {
      return 1;
    }
  }
  return 0;
}

/* The folder after a power cut that followed the first `count` calls, in `image`. */
static void cut_power(size_t count, enum survival survival) {
  for (int i = 0; i < DISK_FILES; i++) free(image.files[i].bytes);
  memset(&image, 0, sizeof image);
  for (int i = 0; i < disk.file_count; i++) {
    resize(&image.files[i], disk.files[i].size);
    if (disk.files[i].size > 0) memcpy(image.files[i].bytes, disk.files[i].bytes, disk.files[i].size);
  }
  memcpy(image.names, disk.first, sizeof image.names);
  for (size_t i = 0; i < count; i++) {
    const disk_record *made = &disk.records[i];
    enum survival its = is_synced(i, count) ? EVERYTHING : survival;
    if (changes_a_name(made)) {
      if (its == EVERYTHING || (its == PARTS && disk_draw(2))) apply_to_names(image.names, made);
    } else if (made->file >= 0) {
      apply_to_file(&image.files[made->file], made, its);
    }
  }
}

/* Writes the image into an empty folder. A file with two names gets both. */
static void write_image(const char *folder) {
  char path[2][400];
  for (int i = 0; i < DISK_NAMES; i++) {
    if (image.names[i].text[0] == 0) continue;
    snprintf(path[0], sizeof path[0], "%s/%s", folder, image.names[i].text);
    int is_known = 0;
    for (int k = 0; k < i && !is_known; k++) {
      if (image.names[k].text[0] == 0 || image.names[k].file != image.names[i].file) continue;
      snprintf(path[1], sizeof path[1], "%s/%s", folder, image.names[k].text);
      REQUIRE((is_known = link(path[1], path[0]) == 0));
    }
    if (is_known) continue;
    const disk_file *file = &image.files[image.names[i].file];
    FILE *made = fopen(path[0], "wb");
    REQUIRE(made != NULL && fwrite(file->bytes, 1, file->size, made) == file->size && fclose(made) == 0);
    REQUIRE(chmod(path[0], 0600) == 0);
  }
}

/* ---- Watching --------------------------------------------------------------------------------------------------- */

/* Writes down, from now on, what happens in a folder: one that has nothing, or what is in `image`. */
static void watch_folder(const char *folder, int has_image) {
  for (size_t i = 0; i < disk.record_count; i++) free(disk.records[i].bytes);
  for (int i = 0; i < disk.file_count; i++) free(disk.files[i].bytes);
  memset(&disk, 0, sizeof disk);
  snprintf(disk.folder, sizeof disk.folder, "%s", folder);
  disk_changes = record_change;
  if (!has_image) return;
  memcpy(disk.files, image.files, sizeof disk.files);
  memcpy(disk.first, image.names, sizeof disk.first);
  memcpy(disk.names, image.names, sizeof disk.names);
  memset(&image, 0, sizeof image);
  for (int i = 0; i < DISK_FILES; i++)
    if (disk.files[i].size > 0) disk.file_count = i + 1;
  for (int i = 0; i < DISK_NAMES; i++)
    if (disk.names[i].text[0] != 0 && disk.names[i].file >= disk.file_count) disk.file_count = disk.names[i].file + 1;
}

#endif
