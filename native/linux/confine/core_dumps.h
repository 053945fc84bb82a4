/* Core dumps: core(5) and Documentation/admin-guide/sysctl/kernel.rst, core_pattern. */
#pragma once

/*
 * Lets the calling process, and what it starts, leave no core dump anywhere. Runs between clone and exec. Returns 0, or -1 with
 * errno: EPROTONOSUPPORT where dumps go to a socket, EPERM where they go to a program and no limit can stop that, else that of
 * reading core_pattern.
 */
int vt_core_dumps_stop(void);
