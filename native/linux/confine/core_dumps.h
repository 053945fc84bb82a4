/* Core dumps: core(5); core_pattern in Documentation/admin-guide/sysctl/kernel.rst. */
#pragma once

/* Prevents core dumps of the calling process and its descendants. Runs between clone and exec, in the descriptor table of the host. Returns 0, or -1 with errno:
 * EPROTONOSUPPORT if dumps go to a socket, EPERM if they go to a program and no limit can stop that, else that of reading
 * core_pattern. */
int vt_core_dumps_stop(void);
