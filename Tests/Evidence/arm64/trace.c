/*
 * A plugin for qemu-user that follows a program between calls of its functions `marker_begin` and `marker_end`. At each
 * end it prints a hash of all program counters and all data addresses, the number of instructions and accesses, and how
 * many of the instructions belong to functions whose name contains WORD. Two runs with the same hash executed the same
 * instructions and accessed the same addresses.
 *
 *     qemu-aarch64 -plugin libtrace.so,word=WORD program
 *
 * Debian's qemu-user has no header for its plugins, so the part of version 1 that is used is declared here.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct block;
struct instruction;
enum { NO_REGISTERS = 0, READS_AND_WRITES = 3 };

int qemu_plugin_version = 1;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t id, struct block *block));
size_t qemu_plugin_tb_n_insns(const struct block *block);
struct instruction *qemu_plugin_tb_get_insn(const struct block *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct instruction *instruction);
const char *qemu_plugin_insn_symbol(const struct instruction *instruction);
void qemu_plugin_register_vcpu_insn_exec_cb(struct instruction *instruction, void (*run)(unsigned cpu, void *data),
                                            int registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct instruction *instruction,
                                      void (*accessed)(unsigned cpu, uint32_t how, uint64_t address, void *data),
                                      int registers, int which, void *data);
int qemu_plugin_install(uint64_t id, const void *qemu, int count, char **arguments);

static char word[64];
static int following;
static uint64_t hash, instructions, accesses, inside;

static void mix(uint64_t value) {
  hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
  hash ^= hash >> 29;
}

static void begin(unsigned cpu, void *data) {
  (void)cpu, (void)data;
  following = 1;
  hash = instructions = accesses = inside = 0;
}

static void end(unsigned cpu, void *data) {
  (void)cpu, (void)data;
  if (!following) return;
  following = 0;
  printf("%016llx %llu %llu %llu\n", (unsigned long long)hash, (unsigned long long)instructions,
         (unsigned long long)accesses, (unsigned long long)inside);
  fflush(stdout);
}

static void run(unsigned cpu, void *address) {
  (void)cpu;
  if (!following) return;
  instructions++;
  mix((uint64_t)(uintptr_t)address);
}

static void run_inside(unsigned cpu, void *address) {
  run(cpu, address);
  inside += (uint64_t)following;
}

static void access(unsigned cpu, uint32_t how, uint64_t address, void *data) {
  (void)cpu, (void)how, (void)data;
  if (!following) return;
  accesses++;
  mix(~address);
}

static void translated(uint64_t id, struct block *block) {
  (void)id;
  for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++) {
    struct instruction *instruction = qemu_plugin_tb_get_insn(block, i);
    const char *symbol = qemu_plugin_insn_symbol(instruction);
    if (!symbol) symbol = "";
    if (strcmp(symbol, "marker_begin") == 0) {
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, begin, NO_REGISTERS, NULL);
    } else if (strcmp(symbol, "marker_end") == 0) {
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, end, NO_REGISTERS, NULL);
    } else {
      void *address = (void *)(uintptr_t)qemu_plugin_insn_vaddr(instruction);
      void (*counted)(unsigned, void *) = strstr(symbol, word) ? run_inside : run;
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, counted, NO_REGISTERS, address);
      qemu_plugin_register_vcpu_mem_cb(instruction, access, NO_REGISTERS, READS_AND_WRITES, NULL);
    }
  }
}

int qemu_plugin_install(uint64_t id, const void *qemu, int count, char **arguments) {
  (void)qemu;
  if (count < 1 || strncmp(arguments[0], "word=", 5) != 0) return 1;
  snprintf(word, sizeof word, "%s", arguments[0] + 5);
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
