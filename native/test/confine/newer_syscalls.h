/* Numbers that the headers of Linux 6.1 (Debian 12) do not have, from the kernel's scripts/syscall.tbl: the same
 * on every architecture. */
#pragma once

#ifndef __NR_fchmodat2
#define __NR_fchmodat2 452 /* Linux 6.6 */
#endif
#ifndef __NR_futex_requeue
#define __NR_futex_requeue 456 /* Linux 6.7 */
#endif
#ifndef __NR_lsm_set_self_attr
#define __NR_lsm_set_self_attr 460 /* Linux 6.8 */
#endif
#ifndef __NR_setxattrat
#define __NR_setxattrat 463 /* Linux 6.13 */
#endif
#ifndef __NR_removexattrat
#define __NR_removexattrat 466 /* Linux 6.13 */
#endif
#ifndef __NR_open_tree_attr
#define __NR_open_tree_attr 467 /* Linux 6.15 */
#endif
#ifndef __NR_file_setattr
#define __NR_file_setattr 469 /* Linux 6.17 */
#endif
#ifndef __NR_fchroot
#define __NR_fchroot 472 /* Linux 7.3 */
#endif
