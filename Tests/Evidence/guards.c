/*
 * Tests guard pages by touching them. For every region of memory for secrets, a child reads or writes the last byte
 * before it or the first byte after it, and dies; another touches the first and last bytes inside, and lives. The
 * regions are those that the kernel wipes on a fork; nothing else in this program asks for that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "fixture.h"
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYBOARDS = 400, MOST = 64, LINE = 4096 };

static const uint8_t key[] = "890765432980765423451673";
static struct region {
  volatile uint8_t *start, *end;
} regions[MOST];
static size_t region_count, before_count;
static unsigned long deaths, lives;

/* The kernel may show neighbours as two regions, because only one of them has been touched or locked; they are two
 * regions here too. If two of our regions are neighbours, there is no guard between them, and the touch that should
 * kill does not. */
static void find_regions(void) {
  char line[LINE];
  unsigned long start = 0, end = 0, from, to;
  FILE *file = fopen("/proc/self/smaps", "r");
  REQUIRE(file);
  region_count = 0;
  while (fgets(line, sizeof line, file)) {
    if (sscanf(line, "%lx-%lx ", &from, &to) == 2) start = from, end = to;
    if (strncmp(line, "VmFlags:", 8) != 0 || !strstr(line, " wf")) continue;
    REQUIRE(region_count < MOST);
    regions[region_count++] = (struct region){(volatile uint8_t *)start, (volatile uint8_t *)end};
  }
  fclose(file);
}

/* Touches a byte in a child; returns the signal that killed it, or 0. */
static int touch(volatile uint8_t *byte, int writing) {
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (writing)
      *byte = 1;
    else
      (void)*byte;
    _exit(0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!WIFSIGNALED(status)) REQUIRE(status == 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void expect_death(volatile uint8_t *byte) {
  for (int writing = 0; writing < 2; writing++) {
    CHECK_EQUAL(touch(byte, writing), SIGSEGV);
    deaths++;
  }
}

static void expect_life(volatile uint8_t *byte) {
  for (int writing = 0; writing < 2; writing++) {
    CHECK_EQUAL(touch(byte, writing), 0);
    lives++;
  }
}

static void check_regions(void) {
  long page = sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < region_count; i++) {
    expect_death(regions[i].start - 1);
    expect_death(regions[i].start - page); /* the whole guard */
    expect_death(regions[i].end);
    expect_death(regions[i].end + page - 1);
    expect_life(regions[i].start);
    expect_life(regions[i].end - 1);
  }
}

/* The workspaces of getText and of batches, and the extra region of a thread that finds all of them taken, if any. */
static void use_workspaces(void) {
  CUSTOM_KEYBOARD_JOB jobs[20];
  uint8_t space[1024], text[16], clear[20][16];
  size_t offset, length;
  CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes("secret"), 6);
  REQUIRE_OK(CustomKeyboard_getText(k, space, sizeof space, &offset, &length));
  memcpy(text, space + offset, 16);
  for (int i = 0; i < 20; i++)
    jobs[i] = (CUSTOM_KEYBOARD_JOB){key, 16, text, 16, clear[i], 16, 0, CUSTOM_KEYBOARD_RANDOM};
  REQUIRE_OK(CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs, 20));
  CHECK(memcmp(clear[19], "secret", 6) == 0);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  find_regions();
  CHECK_EQUAL(region_count, 0);
  /* Keyboards for several regions, and the workspaces: each is mapped separately and has its own guards. */
  for (int i = 0; i < KEYBOARDS; i++) {
    typed(algorithms[i % ALGORITHM_COUNT].way, key, algorithms[i % ALGORITHM_COUNT].key_length, bytes("secret"), 6);
    find_regions();
    if (region_count == before_count) continue;
    before_count = region_count;
    check_regions(); /* the first keyboard's region is guarded, and still is when there are more */
  }
  use_workspaces();
  find_regions();
  CHECK(region_count >= 6); /* four of keyboards, two of workspaces */
  check_regions();
  /* Control: after a page without a guard, the same touch kills no process. */
  uint8_t *pages = mmap(NULL, 16384, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(pages != MAP_FAILED);
  expect_life(pages + 8192);
  expect_life(pages + 8191);
  printf("regions %zu\ndeaths %lu\nlives %lu\n", region_count, deaths, lives);
  return check_end("guards", 200);
}
