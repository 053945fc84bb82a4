/* Calls that aarch64 does not have: defined here only where the generic table leaves them out. */
#pragma once

#ifndef __NR_open
#define __NR_open VT_NO_SYSCALL
#endif
#ifndef __NR_creat
#define __NR_creat VT_NO_SYSCALL
#endif
#ifndef __NR_unlink
#define __NR_unlink VT_NO_SYSCALL
#endif
#ifndef __NR_rmdir
#define __NR_rmdir VT_NO_SYSCALL
#endif
#ifndef __NR_rename
#define __NR_rename VT_NO_SYSCALL
#endif
#ifndef __NR_link
#define __NR_link VT_NO_SYSCALL
#endif
#ifndef __NR_symlink
#define __NR_symlink VT_NO_SYSCALL
#endif
#ifndef __NR_mkdir
#define __NR_mkdir VT_NO_SYSCALL
#endif
#ifndef __NR_mknod
#define __NR_mknod VT_NO_SYSCALL
#endif
#ifndef __NR_chmod
#define __NR_chmod VT_NO_SYSCALL
#endif
#ifndef __NR_chown
#define __NR_chown VT_NO_SYSCALL
#endif
#ifndef __NR_lchown
#define __NR_lchown VT_NO_SYSCALL
#endif
#ifndef __NR_utime
#define __NR_utime VT_NO_SYSCALL
#endif
#ifndef __NR_utimes
#define __NR_utimes VT_NO_SYSCALL
#endif
#ifndef __NR_futimesat
#define __NR_futimesat VT_NO_SYSCALL
#endif
#ifndef __NR_iopl
#define __NR_iopl VT_NO_SYSCALL
#endif
#ifndef __NR_ioperm
#define __NR_ioperm VT_NO_SYSCALL
#endif
#ifndef __NR_modify_ldt
#define __NR_modify_ldt VT_NO_SYSCALL
#endif
#ifndef __NR_uselib
#define __NR_uselib VT_NO_SYSCALL
#endif
#ifndef __NR_ustat
#define __NR_ustat VT_NO_SYSCALL
#endif
#ifndef __NR_sysfs
#define __NR_sysfs VT_NO_SYSCALL
#endif
#ifndef __NR__sysctl
#define __NR__sysctl VT_NO_SYSCALL
#endif
#ifndef __NR_create_module
#define __NR_create_module VT_NO_SYSCALL
#endif
#ifndef __NR_get_kernel_syms
#define __NR_get_kernel_syms VT_NO_SYSCALL
#endif
#ifndef __NR_query_module
#define __NR_query_module VT_NO_SYSCALL
#endif
#ifndef __NR_getpmsg
#define __NR_getpmsg VT_NO_SYSCALL
#endif
#ifndef __NR_putpmsg
#define __NR_putpmsg VT_NO_SYSCALL
#endif
#ifndef __NR_afs_syscall
#define __NR_afs_syscall VT_NO_SYSCALL
#endif
#ifndef __NR_tuxcall
#define __NR_tuxcall VT_NO_SYSCALL
#endif
#ifndef __NR_security
#define __NR_security VT_NO_SYSCALL
#endif
#ifndef __NR_set_thread_area
#define __NR_set_thread_area VT_NO_SYSCALL
#endif
#ifndef __NR_get_thread_area
#define __NR_get_thread_area VT_NO_SYSCALL
#endif
#ifndef __NR_epoll_ctl_old
#define __NR_epoll_ctl_old VT_NO_SYSCALL
#endif
#ifndef __NR_epoll_wait_old
#define __NR_epoll_wait_old VT_NO_SYSCALL
#endif
#ifndef __NR_vserver
#define __NR_vserver VT_NO_SYSCALL
#endif
