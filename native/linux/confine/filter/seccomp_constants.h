/* Arguments that the kernel's headers do not give to programs, or not those of Linux 5.4, or whose names libc's headers define too:
 * the same on x86_64 and aarch64. Tests compare them with the cited headers, where present. */
#pragma once

#include <linux/sched.h>

/* asm-generic/fcntl.h */
#define VT_O_ACCMODE 3u
#define VT_O_CREAT 0100u
#define VT_O_TRUNC 01000u
#define VT_O_NONBLOCK 04000u
#define VT_O_TMPFILE 020000000u /* __O_TMPFILE: without O_DIRECTORY */
#ifdef __aarch64__
#define VT_O_NOFOLLOW 0100000u /* arch/arm64/include/uapi/asm/fcntl.h */
#else
#define VT_O_NOFOLLOW 0400000u
#endif
#define VT_O_CLOEXEC 02000000u
#define VT_O_EMPTYPATH 0x4000000u /* Linux 7.3 */

/* linux/stat.h */
#define VT_S_ISUID 04000u
#define VT_S_ISGID 02000u

/* Commands of fcntl(2): linux/fcntl.h (F_LINUX_SPECIFIC_BASE is 1024). */
#define VT_F_GETOWNER_UIDS 17u /* asm-generic/fcntl.h */
#define VT_F_DUPFD_QUERY 1027u
#define VT_F_CREATED_QUERY 1028u
#define VT_F_SETDELEG 1040u

/* asm-generic/ioctls.h, linux/fs.h */
#define VT_TIOCGPTPEER 0x5441u
#define VT_FS_IOC_GETFSUUID 0x80111500u
#define VT_FS_IOC_GETFSSYSFSPATH 0x80811501u

/* linux/socket.h, linux/net.h (SOCK_TYPE_MASK, SOCK_STREAM and their like), linux/in.h */
#define VT_AF_UNIX 1u
#define VT_AF_INET 2u
#define VT_AF_INET6 10u
#define VT_AF_NETLINK 16u
#define VT_SOCK_TYPE_MASK 0xfu
#define VT_SOCK_STREAM 1u
#define VT_SOCK_DGRAM 2u
#define VT_SOCK_SEQPACKET 5u
#define VT_IPPROTO_MPTCP 262u
#define VT_MSG_FASTOPEN 0x20000000u

/* Levels and options of setsockopt(2): asm-generic/socket.h, linux/in.h, linux/in6.h, linux/socket.h. */
#define VT_SOL_IP 0u
#define VT_SOL_TCP 6u
#define VT_SOL_UDP 17u
#define VT_SOL_IPV6 41u
#define VT_SOL_NETLINK 270u
#define VT_SO_BINDTOIFINDEX 62u
#define VT_IP_LOCAL_PORT_RANGE 51u /* Linux 6.3 */
#define VT_IPV6_FLOWLABEL_MGR 32u

#define VT_CLONE_NAMESPACES \
  (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

/* linux/futex.h: the command bits that FUTEX_CMD_MASK leaves, in Linux 7.3 too */
#define VT_FUTEX_COMMAND 127u

/* linux/ioprio.h */
#define VT_IOPRIO_WHO_PROCESS 1u

/* syslog(2), kernel include/linux/syslog.h */
#define VT_SYSLOG_ACTION_READ_ALL 3u
#define VT_SYSLOG_ACTION_SIZE_BUFFER 10u
