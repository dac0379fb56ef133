/*
 * Calls functions as Swift does, with numbers from standard input: a line has the number of a function, six words for
 * registers, eight for the stack and five for `self`. It answers with the four words that the function returns.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <inttypes.h>
#include <stdio.h>

void call_swift(void (*function)(void), const uint64_t registers[6], const uint64_t stack[8], const void *self,
                uint64_t result[4]);
__asm__(".text\n"
        "call_swift:\n"
        "  push %rbp\n  push %rbx\n  push %r12\n  push %r13\n  push %r14\n  push %r15\n  push %r8\n"
        "  mov %rdi, %r10\n  mov %rsi, %r11\n  mov %rcx, %r13\n"
        "  push 56(%rdx)\n  push 48(%rdx)\n  push 40(%rdx)\n  push 32(%rdx)\n"
        "  push 24(%rdx)\n  push 16(%rdx)\n  push 8(%rdx)\n  push (%rdx)\n"
        "  mov (%r11), %rdi\n  mov 8(%r11), %rsi\n  mov 16(%r11), %rdx\n  mov 24(%r11), %rcx\n"
        "  mov 32(%r11), %r8\n  mov 40(%r11), %r9\n"
        "  call *%r10\n"
        "  add $64, %rsp\n  pop %r11\n"
        "  mov %rax, (%r11)\n  mov %rdx, 8(%r11)\n  mov %rcx, 16(%r11)\n  mov %r8, 24(%r11)\n"
        "  pop %r15\n  pop %r14\n  pop %r13\n  pop %r12\n  pop %rbx\n  pop %rbp\n  ret\n");

/* FUNCTIONS: `void proved_0(void); void proved_1(void); …`, and their names in a list. */
FUNCTIONS
static void (*const functions[])(void) = {NAMES};

int main(void) {
  unsigned function;
  while (scanf("%u", &function) == 1) {
    uint64_t words[19], result[4];
    for (int i = 0; i < 19; i++)
      if (scanf("%" SCNx64, &words[i]) != 1) return 1;
    call_swift(functions[function], words, words + 6, words + 14, result);
    printf("%" PRIx64 " %" PRIx64 " %" PRIx64 " %" PRIx64 "\n", result[0], result[1], result[2], result[3]);
  }
  return 0;
}
