/* Runs a filter as the kernel does: classic BPF over struct seccomp_data, the subset of kernel/seccomp.c
 * seccomp_check_filter. */
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault { FAULT_NONE, FAULT_OPCODE, FAULT_LOAD, FAULT_RAN_OFF };

struct run {
  enum fault fault;
  uint32_t action;       /* SECCOMP_RET_*, where there was no fault */
  size_t steps;          /* instructions executed */
  bool read_arguments;   /* such a call cannot be cached by the kernel (seccomp_is_const_allow) */
};

struct run simulate(const struct sock_filter *filter, size_t length, const struct seccomp_data *data);
