/*
 * An attack that reads all of a process except the library's locked memory, and predicts the order of the PIN pad
 * before it is shown. After each call that draws from the generator it takes what is visible: all registers directly
 * after the call, the stack below, that stack again after the program's first call of some libc function (the dynamic
 * linker saves registers there), and the frame of a signal. From everything in it that could be the generator's key it
 * computes the next two openings, and compares them with the real ones.
 *
 * Controls: with the key from the locked memory, each opening is predicted, so the computation is right; and each way
 * of looking finds a key that is planted in registers, in several forms, or on the stack.
 *
 *     predict now|lazy [name]    how this program is bound; the name to print
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "page.h"
#include "capture.h"
#include "locked.h"
#include "shuffle.h"
#include <signal.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { ROUNDS = 24, PIN_KEYS = 10, PIN_START = 26, FRAME_SIZE = 1 << 15, CHUNKS = 4096, FIRST_CALLS = 48 };

/* Places to search. */
enum view { IN_LOCKED, IN_REGISTERS, IN_STACK, IN_FIRST_CALL, IN_SIGNAL_FRAME, VIEWS };
static const char *const view_names[VIEWS] = {"locked memory", "registers", "stack below", "stack below a first call",
                                              "signal frame"};

/* ---- What is visible --------------------------------------------------------------------------------------------- */

static struct capture capture;
static uint8_t locked[PASSWORD_WORKSPACE * PASSWORD_WORKSPACES], below[STACK_IMAGE], below_first_call[STACK_IMAGE];
static _Alignas(16) uint8_t frame[FRAME_SIZE];
static size_t frame_size, first_calls_made;
static int is_lazy;

#if defined(__x86_64__)
/* Functions that nothing here has called before; each has a stub of 16 bytes. */
__asm__(".text\n\t.p2align 4\n\t.globl first_calls\n\t.hidden first_calls\nfirst_calls:\n\t"
        ".irp name,abs,labs,llabs,toupper,tolower,isalpha,isdigit,isspace,isupper,ispunct,isxdigit,iscntrl,isgraph,"
        "isprint,isalnum,isblank,islower,btowc,wctob,towupper,towlower,iswalpha,iswdigit,iswspace,iswpunct,iswalnum,"
        "iswcntrl,iswgraph,iswlower,iswprint,iswupper,iswxdigit,ffs,ffsl,ffsll,getppid,getuid,geteuid,getgid,getegid,"
        "getpagesize,rand,random,lrand48,mrand48,clock,isatty,getpgrp\n\t"
        ".p2align 4\n\tendbr64\n\tjmp \\name@PLT\n\t.endr\n\t");
extern const uint8_t first_calls[];
extern void plant_halves(const uint8_t *key), plant_spread(const uint8_t *key), plant_generals(const uint8_t *key);

/* Puts a key into registers: in two halves, as copying memory does; one word in each, as ChaCha20 does; and as four
 * numbers. */
#define SPREAD(word, i) "movd 4*" #word "(%rdi),%xmm" #i "\n\tpshufd $0,%xmm" #i ",%xmm" #i "\n\t"
__asm__(".text\n\t.globl plant_halves\n\t.hidden plant_halves\nplant_halves:\n\tendbr64\n\t"
        "movdqu (%rdi),%xmm12\n\tmovdqu 16(%rdi),%xmm3\n\tret\n\t"
        ".globl plant_spread\n\t.hidden plant_spread\nplant_spread:\n\tendbr64\n\t"
        SPREAD(0, 4) SPREAD(1, 5) SPREAD(2, 6) SPREAD(3, 7) SPREAD(4, 8) SPREAD(5, 9) SPREAD(6, 10) SPREAD(7, 11)
        "ret\n\t"
        ".globl plant_generals\n\t.hidden plant_generals\nplant_generals:\n\tendbr64\n\t"
        "movq (%rdi),%r10\n\tmovq 8(%rdi),%rcx\n\tmovq 16(%rdi),%r8\n\tmovq 24(%rdi),%rsi\n\tret\n\t");

static void take_frame(int number, siginfo_t *information, void *context) {
  const ucontext_t *interrupted = context;
  const volatile uint8_t *state = (const volatile uint8_t *)interrupted->uc_mcontext.fpregs;
  uint32_t magic, size;
  memcpy(&magic, (const uint8_t *)interrupted->uc_mcontext.fpregs + 464, 4);
  memcpy(&size, (const uint8_t *)interrupted->uc_mcontext.fpregs + 468, 4);
  (void)number, (void)information;
  frame_size = magic == 0x46505853 /* "FPXS" */ && size <= FRAME_SIZE ? size : 512;
  for (size_t i = 0; i < frame_size; i++) frame[i] = state[i];
}
#else
static void take_frame(int number, siginfo_t *information, void *context) {
  (void)number, (void)information, (void)context;
}
#endif

static void prepare_capture(void) {
  memset(&capture, 0, sizeof capture);
  frame_size = 0;
  capture.below = below;
  capture.process = (uint64_t)getpid();
  capture.thread = (uint64_t)syscall(SYS_gettid);
  capture.signal = SIGUSR1;
#if defined(__x86_64__)
  if (first_calls_made < FIRST_CALLS) {
    capture.first_call = (uintptr_t)first_calls + 16 * first_calls_made;
    capture.below_first_call = below_first_call;
  }
#endif
}

/* After the call. The locked memory is searched only for the control. */
static void finish_capture(void) {
  if (capture.first_call) first_calls_made++;
  find_locked();
  for (size_t i = 0; i < locked_count; i++)
    if (workspace_size(&locked_regions[i]) == PASSWORD_WORKSPACE) memcpy(locked, locked_regions[i].start, sizeof locked);
}

/* ---- Search for the key ------------------------------------------------------------------------------------------ */

/* The pad as it was shown before, and at the two openings after that: the digit of each key, as an index into the
 * source. */
static uint8_t pads[3][PIN_KEYS];
static size_t candidates;

/* Whether the key predicts the opening that follows `opening`. */
static int leads(const uint8_t *key, int opening) {
  struct stream stream;
  struct order order;
  uint8_t parities[POOLS] = {0, parity_of(pads[opening], PIN_KEYS), 0, 0};
  begin_stream(&stream, key, DRAWN_BY_OPEN);
  if (uniform(&stream, PIN_KEYS) != pads[opening + 1][PIN_KEYS - 1]) return 0;
  draw_order(key, DRAWN_BY_OPEN, CUSTOM_KEYBOARD_LAYOUT_PIN, parities, &order);
  for (int i = 0; i < PIN_KEYS; i++)
    if (order.places[PIN_START + i] != PIN_START + pads[opening + 1][i]) return 0;
  return 1;
}

static int predicts(const uint8_t *key) {
  uint8_t next[RANDOM_KEY];
  if (!leads(key, 0)) return 0;
  next_key(key, next);
  return leads(next, 1);
}

/* A key looks random: no word is 0 or occurs twice, and the bytes differ. */
static int looks_random(const uint32_t *words, int count, int least) {
  uint8_t seen[32] = {0};
  int different = 0;
  for (int i = 0; i < count; i++) {
    if (words[i] == 0) return 0;
    for (int j = 0; j < i; j++)
      if (words[i] == words[j]) return 0;
  }
  for (int i = 0; i < 4 * count; i++) {
    uint8_t byte = ((const uint8_t *)words)[i];
    different += !(seen[byte / 8] >> byte % 8 & 1);
    seen[byte / 8] |= (uint8_t)(1 << byte % 8);
  }
  return different >= least;
}

/* Tries this key, and the key that the generator makes from it. */
static int consider(const uint32_t *words) {
  uint8_t key[RANDOM_KEY], next[RANDOM_KEY];
  if (!looks_random(words, 8, 18)) return 0;
  candidates++;
  memcpy(key, words, RANDOM_KEY);
  if (predicts(key)) return 1;
  next_key(key, next);
  return predicts(next);
}

static uint32_t word_at(const uint8_t *image, size_t at) {
  uint32_t word;
  memcpy(&word, image + at, sizeof word);
  return word;
}

/* Eight consecutive words, or one in every 2, 4, 8 or 16: whole lanes of a register, or one lane of each. */
static int seek_words(const uint8_t *image, size_t length) {
  for (size_t stride = 4; stride <= 64; stride *= 2)
    for (size_t at = 0; at + 7 * stride + 4 <= length; at += 4) {
      uint32_t words[8];
      if (word_at(image, at) == 0 || word_at(image, at + stride) == 0) continue;
      for (size_t i = 0; i < 8; i++) words[i] = word_at(image, at + i * stride);
      if (consider(words)) return 1;
    }
  return 0;
}

/* Two halves of the key in different registers that are close to each other. */
static int seek_halves(const uint8_t *image, size_t length, size_t farthest) {
  static size_t chunks[CHUNKS];
  size_t count = 0;
  for (size_t at = 0; at + 16 <= length && count < CHUNKS; at += 8) {
    uint32_t words[4] = {word_at(image, at), word_at(image, at + 4), word_at(image, at + 8), word_at(image, at + 12)};
    if (looks_random(words, 4, 11)) chunks[count++] = at;
  }
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < count; j++) {
      uint32_t words[8];
      size_t distance = chunks[i] < chunks[j] ? chunks[j] - chunks[i] : chunks[i] - chunks[j];
      if (distance < 16 || distance > farthest) continue;
      memcpy(words, image + chunks[i], 16);
      memcpy(words + 4, image + chunks[j], 16);
      if (consider(words)) return 1;
    }
  return 0;
}

/* Four numbers in any order. */
static int seek_numbers(const uint64_t *numbers, int count) {
  uint64_t chosen[32];
  int n = 0;
  for (int i = 0; i < count; i++) {
    uint32_t words[2] = {(uint32_t)numbers[i], (uint32_t)(numbers[i] >> 32)};
    if (looks_random(words, 2, 5)) chosen[n++] = numbers[i];
  }
  for (int a = 0; a < n; a++)
    for (int b = 0; b < n; b++)
      for (int c = 0; c < n; c++)
        for (int d = 0; d < n; d++) {
          uint64_t key[4] = {chosen[a], chosen[b], chosen[c], chosen[d]};
          uint32_t words[8];
          memcpy(words, key, sizeof key);
          if (a != b && a != c && a != d && b != c && b != d && c != d && consider(words)) return 1;
        }
  return 0;
}

/* Whether what this place shows predicts the next openings. */
static int tells(enum view view) {
  uint64_t numbers[GENERALS + MASKS];
  const uint8_t *vectors = capture.after.vectors[0];
  const size_t vectors_size = sizeof capture.after.vectors;
  switch (view) {
    case IN_LOCKED: return seek_words(locked, sizeof locked);
    case IN_REGISTERS:
      memcpy(numbers, capture.after.generals, sizeof capture.after.generals);
      memcpy(numbers + GENERALS, capture.after.masks, sizeof capture.after.masks);
      return seek_words(vectors, vectors_size) || seek_halves(vectors, vectors_size, vectors_size) ||
             seek_numbers(numbers, GENERALS + MASKS);
    case IN_STACK: return seek_words(below, sizeof below) || seek_halves(below, sizeof below, 512);
    case IN_FIRST_CALL:
      return seek_words(below_first_call, sizeof below_first_call) ||
             seek_halves(below_first_call, sizeof below_first_call, 512);
    default:
      return seek_words(frame, frame_size) || seek_halves(frame, frame_size, 512);
  }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD k;
static uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], text[16];
static size_t offset, length;

static void read_pad(uint8_t *digits) {
  struct page page;
  int found = 0;
  look(k, &page);
  for (size_t i = 0; i < page.count; i++)
    if (page.keys[i].role == CUSTOM_KEYBOARD_ROLE_CHARACTER)
      digits[found++] = (uint8_t)((page.keys[i].label[0] - '0' + 9) % 10); /* 1 … 9, 0 */
  REQUIRE(found == PIN_KEYS);
}

/* Each leaves the keyboard open and returns the call's answer; `pads[0]` is what was shown last. */
static uint64_t call_open(void) {
  REQUIRE_OK(CustomKeyboard_close(k));
  uint64_t rv = CAPTURED(&capture, CustomKeyboard_open, k);
  read_pad(pads[0]);
  return rv;
}

static uint64_t call_set_key(void) {
  read_pad(pads[0]);
  REQUIRE_OK(CustomKeyboard_close(k));
  uint64_t rv = CAPTURED(&capture, CustomKeyboard_setEncKey, k, POINTER(page_key), 16, CUSTOM_ENCWAY_SM4);
  REQUIRE_OK(CustomKeyboard_setTextField(k, NULL, NULL));
  return rv;
}

static uint64_t call_press(void) {
  uint64_t rv = CAPTURED(&capture, CustomKeyboard_pressKey, k, 3);
  read_pad(pads[0]);
  return rv;
}

static uint64_t call_touch(void) {
  const double point[] = {10, 10};
  uint64_t rv = captured_floats(&capture, (uintptr_t)CustomKeyboard_touch, k, point, 2);
  read_pad(pads[0]);
  return rv;
}

static uint64_t call_text(void) {
  read_pad(pads[0]);
  return CAPTURED(&capture, CustomKeyboard_getText, k, POINTER(space), sizeof space, POINTER(&offset), POINTER(&length));
}

static uint64_t call_decrypt(void) {
  read_pad(pads[0]);
  return CAPTURED(&capture, CustomKeyboard_decrypt, CUSTOM_ENCWAY_SM4, POINTER(page_key), 16, POINTER(text),
                  sizeof text, POINTER(space), sizeof space, POINTER(&offset), POINTER(&length));
}

/* ---- Controls: the key that the next call draws from is left behind ---------------------------------------------- */

#if defined(__x86_64__)
static uint64_t plant(void (*planter)(const uint8_t *)) {
  read_pad(pads[0]);
  CAPTURED(&capture, planter, POINTER(generator_key()));
  return CUSTOM_KEYBOARD_OK;
}
static uint64_t control_halves(void) { return plant(plant_halves); }
static uint64_t control_spread(void) { return plant(plant_spread); }
static uint64_t control_generals(void) { return plant(plant_generals); }

__attribute__((noinline)) static void plant_stack(const uint8_t *key) {
  volatile uint8_t deep[5000];
  for (int i = 0; i < (int)sizeof deep; i++) deep[i] = i < RANDOM_KEY ? key[i] : 0; /* all, or clang's is shorter */
  (void)deep;
}
static uint64_t control_stack(void) { return plant(plant_stack); }
#endif

enum { REGISTER_VIEWS = 1 << IN_REGISTERS | 1 << IN_SIGNAL_FRAME };

static const struct attempt {
  const char *name;
  uint64_t (*call)(void);
  int is_control, found_in, found_in_if_lazy;
} attempts[] = {
    {"open", call_open, 0, 0, 0},
    {"setEncKey", call_set_key, 0, 0, 0},
    {"pressKey", call_press, 0, 0, 0},
    {"touch", call_touch, 0, 0, 0},
    {"getText", call_text, 0, 0, 0},
    {"decrypt", call_decrypt, 0, 0, 0},
#if defined(__x86_64__)
    {"control: two halves in vector registers", control_halves, 1, REGISTER_VIEWS, 1 << IN_FIRST_CALL},
    {"control: spread over vector registers", control_spread, 1, REGISTER_VIEWS, 1 << IN_FIRST_CALL},
    {"control: in general registers", control_generals, 1, 1 << IN_REGISTERS, 0},
    {"control: on the stack", control_stack, 1, 1 << IN_STACK, 0},
#endif
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts, ROUNDS_OF_FIRST_CALLS = FIRST_CALLS / ATTEMPTS };

static void show_next(uint8_t *digits) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_close(k);
  REQUIRE(rv == CUSTOM_KEYBOARD_OK || rv == CUSTOM_KEYBOARD_OP_DISABLE);
  REQUIRE_OK(CustomKeyboard_open(k));
  read_pad(digits);
}

/* Repeats the calls; counts how many openings each place predicted. */
static void attack(const struct attempt *attempt) {
  int told[VIEWS] = {0}, looked[VIEWS] = {0};
  size_t considered[VIEWS] = {0};
  k = shown_under(&algorithms[3], CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 0);
  for (int round = 0; round < ROUNDS; round++) {
    forget();
    prepare_capture();
    if (round >= ROUNDS_OF_FIRST_CALLS) capture.first_call = 0;
    capture.shift = 16 * (uint64_t)(round % 4);
    CHECK_EQUAL((uint32_t)attempt->call(), CUSTOM_KEYBOARD_OK);
    finish_capture();
    show_next(pads[1]);
    show_next(pads[2]);
    for (enum view view = IN_LOCKED; view < VIEWS; view++) {
      if (view == IN_FIRST_CALL && !capture.first_call) continue;
      candidates = 0;
      looked[view]++;
      told[view] += tells(view);
      considered[view] += candidates;
    }
  }
  for (enum view view = IN_LOCKED; view < VIEWS; view++) {
    int must = view == IN_LOCKED || attempt->found_in >> view & 1 || (is_lazy && attempt->found_in_if_lazy >> view & 1);
    if (attempt->is_control && !must) continue;
    if (!CHECK_EQUAL(told[view], must ? looked[view] : 0))
      fprintf(stderr, "  (%s, %s: %d of %d pairs of openings told in advance, %zu candidates)\n", attempt->name,
              view_names[view], told[view], looked[view], considered[view]);
  }
  CHECK_OK(CustomKeyboard_destroy(k));
}

int main(int count, char **arguments) {
  REQUIRE(count >= 2);
  is_lazy = strcmp(arguments[1], "lazy") == 0;
  struct sigaction action = {.sa_sigaction = take_frame, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&action.sa_mask);
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  uint8_t clear[] = "12345678\x8\x8\x8\x8\x8\x8\x8\x8";
  CUSTOM_KEYBOARD_CIPHER cipher;
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, CUSTOM_ENCWAY_SM4, page_key, 16, 0));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, clear, text, sizeof text));
  for (int i = 0; i < ATTEMPTS; i++) attack(&attempts[i]);
  return check_end(count > 2 ? arguments[2] : "predict", ATTEMPTS * ROUNDS * LESS);
}
