/*
 * Calls a C function through a few lines of assembly. They fill all registers before the call, and directly after it
 * copy the registers and the stack below: no compiled code runs in between. Then, if asked, they call a function that
 * this program has never called (with lazy binding, the dynamic linker then saves the registers to the stack), and send
 * a signal (the kernel then saves the registers).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "assembly.h"
#include "check.h"
#include <stddef.h>

enum { VECTORS = 32, VECTOR_SIZE = 64, MASKS = 8, STACKED = 3, FLOATS = 4, STACK_IMAGE = 65536, PAINT = 0xa7 };

/* The registers that a call may change, and where among them the integer arguments are. */
#if defined(__x86_64__)
enum { GENERALS = 8, INTEGERS = 6 };
static const char *const general_names[GENERALS] = {"rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"};
static const int integer_places[INTEGERS] = {3, 2, 1, 0, 4, 5};
#elif defined(__aarch64__)
enum { GENERALS = 19, INTEGERS = 8 };
static const char *const general_names[GENERALS] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
                                                    "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18"};
static const int integer_places[INTEGERS] = {0, 1, 2, 3, 4, 5, 6, 7};
#else
#error "The registers of this processor are not known."
#endif

/* All registers that a call may change. That with the answer (rax, x0) is as before. */
struct registers {
  uint64_t generals[GENERALS], masks[MASKS];
  uint8_t vectors[VECTORS][VECTOR_SIZE];
};

/* The assembly below knows these offsets. */
struct capture {
  uintptr_t function;           /*   0 */
  uint64_t stacked[STACKED];    /*   8: arguments for which there is no register */
  uint64_t width;               /*  32: bytes of a vector register: 16, 32 or 64 */
  uint8_t *below;               /*  40: receives the stack below, STACK_IMAGE bytes; or NULL */
  uintptr_t first_call;         /*  48: what to call after that, or 0 */
  uint8_t *below_first_call;    /*  56: receives the stack below again, after that call */
  uint64_t process, thread;     /*  64, 72: the receiver of the signal, or 0 */
  uint64_t signal;              /*  80 */
  uint64_t paints;              /*  88: whether to fill the stack below with PAINT before the call */
  uint64_t shift;               /*  96: the stack pointer's distance to a multiple of 64: 0, 16, 32 or 48 */
  uint64_t answer;              /* 104 */
  struct registers before;      /* 112: what the call receives */
  struct registers after;       /* 2288, on arm64 2376: what it leaves */
};

void capture_call(struct capture *capture);
void capture_nothing(void);

#if defined(__x86_64__)
#include <cpuid.h>
_Static_assert(offsetof(struct capture, before) == 112 && offsetof(struct capture, after) == 2288, "offsets");
_Static_assert(offsetof(struct registers, masks) == 64 && offsetof(struct registers, vectors) == 128, "offsets");

/* The width of the vector registers, if the processor has them and the system saves them. */
static inline uint64_t vector_width(void) {
  unsigned a, b, c, d, enabled, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27) || !(c & 1u << 28)) return 16;
  __asm__ volatile("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  if ((enabled & 0x06) != 0x06) return 16;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & 1u << 16) || !(b & 1u << 30) || (enabled & 0xe6) != 0xe6)
    return 32;
  return 64;
}
static inline unsigned vector_count(uint64_t width) { return width == 64 ? VECTORS : 16; }

/* The same instruction for several registers, which are stored one after another in `struct registers`. */
#define CAPTURE_LOW "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#define CAPTURE_ALL CAPTURE_LOW ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define CAPTURE_FILL(move, numbers, name, place) \
  ".irp i," numbers "\n\t" move " 112+" place "*\\i(%rbx),%" name "\\i\n\t.endr\n\t"
#define CAPTURE_TAKE(move, numbers, name, place) \
  ".irp i," numbers "\n\t" move " %" name "\\i,2288+" place "*\\i(%rbx)\n\t.endr\n\t"
#define CAPTURE_MOVE(DIRECTION)                                                                               \
  "cmpq $32,32(%rbx)\n\tje 1f\n\tja 2f\n\t" DIRECTION("movdqu", CAPTURE_LOW, "xmm", "128+64") "jmp 3f\n"     \
  "1:\n\t" DIRECTION("vmovdqu", CAPTURE_LOW, "ymm", "128+64") "jmp 3f\n"                                      \
  "2:\n\t" DIRECTION("vmovdqu64", CAPTURE_ALL, "zmm", "128+64")                                              \
  DIRECTION("kmovq", "0,1,2,3,4,5,6,7", "k", "64+8") "3:\n\t"

__asm__(
    ASSEMBLY(capture_call)
    ".cfi_startproc\n\t"
    "endbr64\n\t"
    "pushq %rbp\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_rel_offset %rbp,0\n\t"
    "movq %rsp,%rbp\n\t.cfi_def_cfa_register %rbp\n\t"
    "pushq %rbx\n\t.cfi_offset %rbx,-24\n\t"
    "movq %rdi,%rbx\n\t"
    "subq $128,%rsp\n\tandq $-64,%rsp\n\tsubq 96(%rbx),%rsp\n\t"
    "movq 8(%rbx),%rax\n\tmovq %rax,(%rsp)\n\tmovq 16(%rbx),%rax\n\tmovq %rax,8(%rsp)\n\t"
    "movq 24(%rbx),%rax\n\tmovq %rax,16(%rsp)\n\t"
    "cmpq $0,88(%rbx)\n\tje 7f\n\t"
    "movl $65536,%ecx\n\tmovq %rsp,%rdi\n\tsubq %rcx,%rdi\n\tmovl $0xa7,%eax\n\tcld\n\trep stosb\n"
    "7:\n\t" CAPTURE_MOVE(CAPTURE_FILL)
    "movq 112(%rbx),%rcx\n\tmovq 120(%rbx),%rdx\n\tmovq 128(%rbx),%rsi\n\tmovq 136(%rbx),%rdi\n\t"
    "movq 144(%rbx),%r8\n\tmovq 152(%rbx),%r9\n\tmovq 160(%rbx),%r10\n\tmovq 168(%rbx),%r11\n\t"
    "call *(%rbx)\n\t"
    "movq %rax,104(%rbx)\n\t"
    "movq %rcx,2288(%rbx)\n\tmovq %rdx,2296(%rbx)\n\tmovq %rsi,2304(%rbx)\n\tmovq %rdi,2312(%rbx)\n\t"
    "movq %r8,2320(%rbx)\n\tmovq %r9,2328(%rbx)\n\tmovq %r10,2336(%rbx)\n\tmovq %r11,2344(%rbx)\n\t"
    CAPTURE_MOVE(CAPTURE_TAKE)
    "movq 40(%rbx),%rdi\n\ttestq %rdi,%rdi\n\tjz 4f\n\t"
    "movl $65536,%ecx\n\tmovq %rsp,%rsi\n\tsubq %rcx,%rsi\n\tcld\n\trep movsb\n"
    "4:\n\t"
    "movq 48(%rbx),%rax\n\ttestq %rax,%rax\n\tjz 5f\n\t"
    "movl $7,%edi\n\tcall *%rax\n\t"
    "movl $65536,%ecx\n\tmovq %rsp,%rsi\n\tsubq %rcx,%rsi\n\tmovq 56(%rbx),%rdi\n\tcld\n\trep movsb\n"
    "5:\n\t"
    "movq 64(%rbx),%rdi\n\ttestq %rdi,%rdi\n\tjz 6f\n\t"
    "movq 72(%rbx),%rsi\n\tmovq 80(%rbx),%rdx\n\tmovl $234,%eax\n\tsyscall\n" /* tgkill */
    "6:\n\t"
    "movq -8(%rbp),%rbx\n\tmovq %rbp,%rsp\n\tpopq %rbp\n\t.cfi_def_cfa %rsp,8\n\t"
    "ret\n\t"
    ".cfi_endproc\n");

__asm__(ASSEMBLY(capture_nothing) "endbr64\n\tret\n");

#else /* arm64 */
_Static_assert(offsetof(struct capture, before) == 112 && offsetof(struct capture, after) == 2376, "offsets");
_Static_assert(offsetof(struct registers, masks) == 152 && offsetof(struct registers, vectors) == 216, "offsets");

static inline uint64_t vector_width(void) { return 16; }
static inline unsigned vector_count(uint64_t width) { return width > 0 ? VECTORS : 0; }

/* x19 keeps the structure, d8 to d15 are the caller's. x16 holds the function, and so has no known word. */
#define CAPTURE_VECTORS(move)                                                                               \
  ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n\t"         \
  move " q\\i,[x9,#64*\\i]\n\t.endr\n\t"
#define CAPTURE_KEPT(move)                                                                                   \
  move " x19,x20,[sp,#16]\n\t" move " d8,d9,[sp,#32]\n\t" move " d10,d11,[sp,#48]\n\t"                      \
  move " d12,d13,[sp,#64]\n\t" move " d14,d15,[sp,#80]\n\t"
#if defined(__APPLE__) /* the system's register, which no program touches */
#define CAPTURE_X18
#else
#define CAPTURE_X18 ",18"
#endif
#define CAPTURE_STACK(place) /* the stack below, to where `place` points */                                 \
  "ldr x9,[x19,#" place "]\n\tcbz x9,2f\n\tsub x10,sp,#16,lsl #12\n"                                         \
  "1:\n\tldp q0,q1,[x10],#32\n\tstp q0,q1,[x9],#32\n\tcmp sp,x10\n\tb.hi 1b\n2:\n\t"

__asm__(
    ASSEMBLY(capture_call)
    ".cfi_startproc\n\t"
    "hint #34\n\t" /* bti c */
    "stp x29,x30,[sp,#-96]!\n\t.cfi_def_cfa_offset 96\n\t.cfi_offset x29,-96\n\t.cfi_offset x30,-88\n\t"
    "mov x29,sp\n\t.cfi_def_cfa_register x29\n\t"
    CAPTURE_KEPT("stp")
    ".cfi_offset x19,-80\n\t.cfi_offset x20,-72\n\t"
    "mov x19,x0\n\t"
    "sub x9,sp,#128\n\tand x9,x9,#-64\n\tldr x10,[x19,#96]\n\tsub x9,x9,x10\n\tmov sp,x9\n\t"
    "ldp x9,x10,[x19,#8]\n\tstp x9,x10,[sp]\n\tldr x9,[x19,#24]\n\tstr x9,[sp,#16]\n\t"
    "ldr x9,[x19,#88]\n\tcbz x9,2f\n\tsub x9,sp,#16,lsl #12\n\tmovi v0.16b,#0xa7\n"
    "1:\n\tstp q0,q0,[x9],#32\n\tcmp sp,x9\n\tb.hi 1b\n2:\n\t"
    "add x9,x19,#112+216\n\t" CAPTURE_VECTORS("ldr")
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17" CAPTURE_X18 "\n\tldr x\\i,[x19,#112+8*\\i]\n\t.endr\n\t"
    "ldr x16,[x19]\n\tblr x16\n\t"
    "str x0,[x19,#104]\n\tldr x0,[x19,#112]\n\t"
    ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17" CAPTURE_X18 "\n\tstr x\\i,[x19,#2376+8*\\i]\n\t.endr\n\t"
    "add x9,x19,#2376+216\n\t" CAPTURE_VECTORS("str")
    CAPTURE_STACK("40")
    "ldr x9,[x19,#48]\n\tcbz x9,3f\n\t"
    "mov x0,#7\n\tblr x9\n\t"
    CAPTURE_STACK("56")
    "3:\n\t"
    "ldr x0,[x19,#64]\n\tcbz x0,4f\n\t"
    "ldp x1,x2,[x19,#72]\n\tmov x8,#131\n\tsvc #0\n" /* tgkill */
    "4:\n\t"
    "mov sp,x29\n\t"
    CAPTURE_KEPT("ldp")
    "ldp x29,x30,[sp],#96\n\t.cfi_def_cfa sp,0\n\t"
    "ret\n\t"
    ".cfi_endproc\n");
__asm__(ASSEMBLY(capture_nothing) "hint #34\n\tret\n");
#endif

/* Zeroes the registers that the test itself used. */
static inline void zero_registers(void) {
  static struct capture none;
  none.function = (uintptr_t)capture_nothing;
  none.width = vector_width();
  capture_call(&none);
}

/* The word for a register: no two are the same. */
static inline uint64_t fill_word(unsigned place, unsigned lane) {
  return UINT64_C(0xa5c3000000005a3c) | (uint64_t)place << 32 | (uint64_t)lane << 16;
}

/* The arguments of a call; integers and pointers as numbers. */
struct arguments {
  uint64_t integers[INTEGERS + STACKED];
  double floats[FLOATS];
  int integer_count, float_count;
};

/* Fills all registers: with the arguments, and with known words where there is no argument. */
static inline void fill_registers(struct capture *c, const struct arguments *arguments) {
  c->width = vector_width();
  for (unsigned i = 0; i < VECTORS; i++)
    for (unsigned lane = 0; lane < VECTOR_SIZE / 8; lane++) {
      uint64_t word = fill_word(i, lane);
      memcpy(c->before.vectors[i] + 8 * lane, &word, sizeof word);
    }
  for (unsigned i = 0; i < MASKS; i++) c->before.masks[i] = fill_word(100, i);
  for (unsigned i = 0; i < GENERALS; i++) c->before.generals[i] = fill_word(200, i);
  for (int i = 0; i < arguments->integer_count; i++)
    if (i < INTEGERS)
      c->before.generals[integer_places[i]] = arguments->integers[i];
    else
      c->stacked[i - INTEGERS] = arguments->integers[i];
  for (int i = 0; i < arguments->float_count; i++)
    memcpy(c->before.vectors[i], &arguments->floats[i], sizeof(double));
}

/* Calls `function` with integers and pointers; returns its answer. */
#define POINTER(pointer) ((uint64_t)(uintptr_t)(pointer))
#define CAPTURED(capture, function, ...)                                                                       \
  captured((capture), (uintptr_t)(function), (const uint64_t[]){__VA_ARGS__},                                  \
           (int)(sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)))
static inline uint64_t captured(struct capture *c, uintptr_t function, const uint64_t *integers, int count) {
  struct arguments arguments = {.integer_count = count};
  for (int i = 0; i < count; i++) arguments.integers[i] = integers[i];
  c->function = function;
  fill_registers(c, &arguments);
  capture_call(c);
  return c->answer;
}

/* The same for a function that takes a keyboard and doubles. */
static inline uint64_t captured_floats(struct capture *c, uintptr_t function, uint64_t keyboard, const double *floats,
                                       int count) {
  struct arguments arguments = {.integers = {keyboard}, .integer_count = 1, .float_count = count};
  for (int i = 0; i < count; i++) arguments.floats[i] = floats[i];
  c->function = function;
  fill_registers(c, &arguments);
  capture_call(c);
  return c->answer;
}

/* Zeroes the stack below and the registers, where the test itself may have left a secret. */
__attribute__((noinline, unused)) static void forget(void) {
  volatile uint64_t frame[2 * STACK_IMAGE / sizeof(uint64_t)];
  for (size_t i = 0; i < sizeof frame / sizeof *frame; i++) frame[i] = 0;
  zero_registers();
}

#endif /* CAPTURE_H */
