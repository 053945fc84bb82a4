/* Selects the groups of the table that apply to given options. */
#include <errno.h>

#include "confine/seccomp_groups.h"

static const struct vt_verdict allowed = {.otherwise = SECCOMP_RET_ALLOW};
static const struct vt_verdict unknown = {.otherwise = SECCOMP_RET_ERRNO | ENOSYS};

/* Landlock ABI 3 added the right to truncate, ABI 6 the scope of signals (landlock(7)). */
static bool applies(enum when when, const struct vt_filter_options *options) {
  switch (when) {
    case EVER: return true;
    case NETWORK_SHUT: return !options->network;
    case NETWORK_OPEN: return options->network;
    case UNIX_OPEN: return options->unix_sockets;
    case UNIX_OPEN_NETWORK_SHUT: return options->unix_sockets && !options->network;
    case UNIX_OPEN_NETWORK_OPEN: return options->unix_sockets && options->network;
    case BINDS_UNJUDGED: return !options->judge;
    case BINDS_JUDGED_SHUT: return options->judge && !options->network;
    case BINDS_JUDGED_OPEN: return options->judge && options->network;
    case OWN_TERMINAL: return options->terminal && !options->network;
    case OWN_TERMINAL_NETWORK_OPEN: return options->terminal && options->network;
    case WRITABLE: return !options->unwritable;
    case TRUNCATE_UNSEEN: return options->abi < 3 || options->unwritable;
    case SIGNALS_REFUSED: return options->abi < 6 && !options->judge;
    case SIGNALS_JUDGED: return options->abi < 6 && options->judge;
  }
  return true;
}

/* Without reports the mark is removed. */
static uint32_t resolve_action(uint32_t action, bool report) {
  if (!(action & VT_TOLD)) return action;
  return report ? SECCOMP_RET_USER_NOTIF : action & ~VT_TOLD;
}

/* Drops last rules that answer as the fallback does. */
static void resolve(struct vt_rules *rules, size_t g, bool report) {
  const struct vt_verdict *told = &vt_groups[g].verdict;
  struct vt_rule *own = rules->of_verdict[g];
  struct vt_verdict verdict = {.rules = own, .count = told->count, .otherwise = resolve_action(told->otherwise, report)};
  for (size_t i = 0; i < told->count; i++) {
    own[i] = told->rules[i];
    own[i].action = resolve_action(own[i].action, report);
  }
  while (verdict.count > 0 && own[verdict.count - 1].action == verdict.otherwise) verdict.count--;
  rules->of_group[g] = verdict;
}

void vt_rules_select(const struct vt_filter_options *options, struct vt_rules *rules) {
  for (size_t number = 0; number <= VT_LAST_REVIEWED_SYSCALL; number++) rules->verdicts[number] = &allowed;
  rules->verdicts[VT_LAST_REVIEWED_SYSCALL + 1] = &unknown;
  for (size_t g = 0; g < vt_group_count; g++) {
    if (!applies(vt_groups[g].when, options)) continue;
    resolve(rules, g, options->report);
    for (size_t c = 0; c < vt_groups[g].count; c++) {
      int number = vt_syscall_number(vt_groups[g].calls[c], options->arch);
      if (number != VT_NO_SYSCALL) rules->verdicts[number] = &rules->of_group[g];
    }
  }
}

uint32_t vt_rules_answer(const struct vt_rules *rules, const struct seccomp_data *call) {
  bool reviewed = call->nr >= 0 && call->nr <= VT_LAST_REVIEWED_SYSCALL;
  return vt_verdict_answer(rules->verdicts[reviewed ? call->nr : VT_LAST_REVIEWED_SYSCALL + 1], call->args);
}
