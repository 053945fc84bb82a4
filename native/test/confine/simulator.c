#include "simulator.h"

#include <string.h>

/* Millions of steps, each within the bounds that simulate() and load() check: with sanitizers they take twice as long. */
#define PLAIN __attribute__((no_sanitize("address"), no_sanitize("undefined")))

struct machine {
  uint32_t accumulator;
  size_t next;
  struct run run;
};

PLAIN static void load(struct machine *machine, uint32_t offset, const struct seccomp_data *data) {
  if (offset % sizeof(uint32_t) != 0 || offset >= sizeof *data) {
    machine->run.fault = FAULT_LOAD;
    return;
  }
  memcpy(&machine->accumulator, (const char *)data + offset, sizeof(uint32_t));
  if (offset >= offsetof(struct seccomp_data, instruction_pointer)) machine->run.read_arguments = true;
}

PLAIN static void jump_if(struct machine *machine, bool condition, const struct sock_filter *instruction) {
  machine->next += condition ? instruction->jt : instruction->jf;
}

/* Returns false when the program ends. */
PLAIN static bool step(struct machine *machine, const struct sock_filter *instruction, const struct seccomp_data *data) {
  uint32_t k = instruction->k;
  switch (instruction->code) {
    case BPF_LD | BPF_W | BPF_ABS: load(machine, k, data); break;
    case BPF_ALU | BPF_AND | BPF_K: machine->accumulator &= k; break;
    case BPF_JMP | BPF_JA: machine->next += k; break;
    case BPF_JMP | BPF_JEQ | BPF_K: jump_if(machine, machine->accumulator == k, instruction); break;
    case BPF_JMP | BPF_JGT | BPF_K: jump_if(machine, machine->accumulator > k, instruction); break;
    case BPF_JMP | BPF_JGE | BPF_K: jump_if(machine, machine->accumulator >= k, instruction); break;
    case BPF_JMP | BPF_JSET | BPF_K: jump_if(machine, (machine->accumulator & k) != 0, instruction); break;
    case BPF_RET | BPF_K: machine->run.action = k; return false;
    default: machine->run.fault = FAULT_OPCODE;
  }
  return machine->run.fault == FAULT_NONE;
}

PLAIN struct run simulate(const struct sock_filter *filter, size_t length, const struct seccomp_data *data) {
  struct machine machine = {0};
  for (;;) {
    if (machine.next >= length) {
      machine.run.fault = FAULT_RAN_OFF;
      return machine.run;
    }
    machine.run.steps++;
    if (!step(&machine, &filter[machine.next++], data)) return machine.run;
  }
}
