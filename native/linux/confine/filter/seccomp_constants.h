/* Arguments that the rules name, the same on x86_64 and aarch64. libc's and the kernel's headers cannot be included together,
 * and may be older than the running kernel. Tests compare them with the cited headers, where present. */
#pragma once

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
#define VT_LOCK_EX 2u

/* linux/stat.h */
#define VT_S_ISUID 04000u
#define VT_S_ISGID 02000u

/* Commands of fcntl(2): asm-generic/fcntl.h, then linux/fcntl.h (F_LINUX_SPECIFIC_BASE is 1024). */
#define VT_F_DUPFD 0u
#define VT_F_GETFD 1u
#define VT_F_SETFD 2u
#define VT_F_GETFL 3u
#define VT_F_SETFL 4u
#define VT_F_GETLK 5u
#define VT_F_SETLK 6u
#define VT_F_SETLKW 7u
#define VT_F_SETOWN 8u
#define VT_F_GETOWN 9u
#define VT_F_SETSIG 10u
#define VT_F_GETSIG 11u
#define VT_F_SETOWN_EX 15u
#define VT_F_GETOWN_EX 16u
#define VT_F_GETOWNER_UIDS 17u
#define VT_F_OFD_GETLK 36u
#define VT_F_OFD_SETLK 37u
#define VT_F_OFD_SETLKW 38u
#define VT_F_SETLEASE 1024u
#define VT_F_GETLEASE 1025u
#define VT_F_DUPFD_QUERY 1027u
#define VT_F_CREATED_QUERY 1028u
#define VT_F_DUPFD_CLOEXEC 1030u
#define VT_F_GETPIPE_SZ 1032u
#define VT_F_ADD_SEALS 1033u
#define VT_F_GET_SEALS 1034u
#define VT_F_GET_RW_HINT 1035u
#define VT_F_SET_RW_HINT 1036u
#define VT_F_GET_FILE_RW_HINT 1037u
#define VT_F_SET_FILE_RW_HINT 1038u
#define VT_F_SETDELEG 1040u

/* asm-generic/ioctls.h */
#define VT_TCGETS 0x5401u
#define VT_TCSETS 0x5402u
#define VT_TCSETSW 0x5403u
#define VT_TCSETSF 0x5404u
#define VT_TCGETA 0x5405u
#define VT_TCSETA 0x5406u
#define VT_TCSETAW 0x5407u
#define VT_TCSETAF 0x5408u
#define VT_TCSBRK 0x5409u
#define VT_TCXONC 0x540au
#define VT_TCFLSH 0x540bu
#define VT_TIOCGPGRP 0x540fu
#define VT_TIOCSPGRP 0x5410u
#define VT_TIOCOUTQ 0x5411u
#define VT_TIOCSTI 0x5412u
#define VT_TIOCGWINSZ 0x5413u
#define VT_TIOCSWINSZ 0x5414u
#define VT_FIONREAD 0x541bu
#define VT_TIOCLINUX 0x541cu
#define VT_TIOCCONS 0x541du
#define VT_FIONBIO 0x5421u
#define VT_TCSBRKP 0x5425u
#define VT_TIOCGSID 0x5429u
#define VT_TCGETS2 0x802c542au
#define VT_TCSETS2 0x402c542bu
#define VT_TCSETSW2 0x402c542cu
#define VT_TCSETSF2 0x402c542du
#define VT_TIOCSCTTY 0x540eu
#define VT_TIOCPKT 0x5420u
#define VT_TIOCNOTTY 0x5422u
#define VT_TIOCGPTN 0x80045430u
#define VT_TIOCSPTLCK 0x40045431u
#define VT_TIOCGPKT 0x80045438u
#define VT_TIOCGPTLCK 0x80045439u
#define VT_TIOCGPTPEER 0x5441u
#define VT_FIONCLEX 0x5450u
#define VT_FIOCLEX 0x5451u
#define VT_FIOQSIZE 0x5460u

/* linux/fs.h; the 32-bit forms (FS_IOC32_*) too, which some programs still send */
#define VT_FIGETBSZ 0x2u
#define VT_FS_IOC_GETFLAGS 0x80086601u
#define VT_FS_IOC32_GETFLAGS 0x80046601u
#define VT_FS_IOC_GETVERSION 0x80087601u
#define VT_FS_IOC32_GETVERSION 0x80047601u
#define VT_FS_IOC_FIEMAP 0xc020660bu
#define VT_FS_IOC_FSGETXATTR 0x801c581fu
#define VT_FS_IOC_GETFSUUID 0x80111500u
#define VT_FS_IOC_GETFSSYSFSPATH 0x80811501u
#define VT_FS_IOC_SETFLAGS 0x40086602u
#define VT_FS_IOC32_SETFLAGS 0x40046602u
#define VT_FS_IOC_SETVERSION 0x40087602u
#define VT_FS_IOC32_SETVERSION 0x40047602u
#define VT_FS_IOC_FSSETXATTR 0x401c5820u
#define VT_FS_IOC_SETFSLABEL 0x41009432u
#define VT_FICLONE 0x40049409u
#define VT_FICLONERANGE 0x4020940du
#define VT_FIDEDUPERANGE 0xc0189436u
#define VT_FIFREEZE 0xc0045877u
#define VT_FITHAW 0xc0045878u
#define VT_FITRIM 0xc0185879u
#define VT_BLKROGET 0x125eu
#define VT_BLKGETSIZE 0x1260u
#define VT_BLKSSZGET 0x1268u
#define VT_BLKGETSIZE64 0x80081272u
#define VT_BLKPBSZGET 0x127bu

/* linux/fscrypt.h, linux/fsverity.h */
#define VT_FS_IOC_SET_ENCRYPTION_POLICY 0x800c6613u
#define VT_FS_IOC_ENABLE_VERITY 0x40806685u

/* linux/btrfs.h */
#define VT_BTRFS_IOC_SNAP_CREATE 0x50009401u
#define VT_BTRFS_IOC_SUBVOL_CREATE 0x5000940eu
#define VT_BTRFS_IOC_SNAP_DESTROY 0x5000940fu
#define VT_BTRFS_IOC_SNAP_CREATE_V2 0x50009417u
#define VT_BTRFS_IOC_SUBVOL_CREATE_V2 0x50009418u
#define VT_BTRFS_IOC_SUBVOL_SETFLAGS 0x4008941au
#define VT_BTRFS_IOC_SNAP_DESTROY_V2 0x5000943fu

/* linux/nsfs.h */
#define VT_NS_GET_USERNS 0xb701u
#define VT_NS_GET_PARENT 0xb702u
#define VT_NS_GET_NSTYPE 0xb703u
#define VT_NS_GET_OWNER_UID 0xb704u

/* linux/sockios.h */
#define VT_SIOCGIFNAME 0x8910u
#define VT_SIOCGIFCONF 0x8912u
#define VT_SIOCGIFFLAGS 0x8913u
#define VT_SIOCSIFFLAGS 0x8914u
#define VT_SIOCGIFADDR 0x8915u
#define VT_SIOCSIFADDR 0x8916u
#define VT_SIOCGIFDSTADDR 0x8917u
#define VT_SIOCGIFBRDADDR 0x8919u
#define VT_SIOCGIFNETMASK 0x891bu
#define VT_SIOCGIFMETRIC 0x891du
#define VT_SIOCGIFMTU 0x8921u
#define VT_SIOCGIFHWADDR 0x8927u
#define VT_SIOCGIFINDEX 0x8933u
#define VT_SIOCGIFTXQLEN 0x8942u
#define VT_SIOCGIFMAP 0x8970u

/* linux/socket.h, linux/net.h (SOCK_TYPE_MASK, SOCK_STREAM and their like), linux/in.h, linux/netlink.h */
#define VT_AF_UNIX 1u
#define VT_AF_INET 2u
#define VT_AF_INET6 10u
#define VT_AF_NETLINK 16u
#define VT_SOCK_TYPE_MASK 0xfu
#define VT_SOCK_STREAM 1u
#define VT_SOCK_DGRAM 2u
#define VT_SOCK_SEQPACKET 5u
#define VT_IPPROTO_DEFAULT 0u
#define VT_IPPROTO_TCP 6u
#define VT_IPPROTO_UDP 17u
#define VT_IPPROTO_MPTCP 262u
#define VT_NETLINK_ROUTE 0u
#define VT_NETLINK_SOCK_DIAG 4u
#define VT_MSG_FASTOPEN 0x20000000u

/* Levels and options of setsockopt(2): asm-generic/socket.h, linux/in.h, linux/in6.h, linux/tcp.h, linux/socket.h. */
#define VT_SOL_SOCKET 1u
#define VT_SOL_IP 0u
#define VT_SOL_TCP 6u
#define VT_SOL_UDP 17u
#define VT_SOL_IPV6 41u
#define VT_SOL_NETLINK 270u
#define VT_SO_REUSEADDR 2u
#define VT_SO_ERROR 4u
#define VT_SO_PEERCRED 17u
#define VT_SO_REUSEPORT 15u
#define VT_SO_BINDTODEVICE 25u
#define VT_SO_BINDTOIFINDEX 62u
#define VT_TCP_FASTOPEN 23u
#define VT_TCP_FASTOPEN_CONNECT 30u
#define VT_TCP_ULP 31u
#define VT_TCP_FASTOPEN_KEY 33u
#define VT_IP_OPTIONS 4u
#define VT_IP_FREEBIND 15u
#define VT_IP_TRANSPARENT 19u
#define VT_IP_ADD_MEMBERSHIP 35u
#define VT_IP_ADD_SOURCE_MEMBERSHIP 39u
#define VT_IP_MSFILTER 41u
#define VT_IP_LOCAL_PORT_RANGE 51u /* Linux 6.3 */
#define VT_MCAST_JOIN_GROUP 42u
#define VT_MCAST_JOIN_SOURCE_GROUP 46u
#define VT_MCAST_MSFILTER 48u
#define VT_IPV6_2292PKTINFO 2u
#define VT_IPV6_2292HOPOPTS 3u
#define VT_IPV6_2292DSTOPTS 4u
#define VT_IPV6_2292RTHDR 5u
#define VT_IPV6_2292PKTOPTIONS 6u
#define VT_IPV6_ADD_MEMBERSHIP 20u
#define VT_IPV6_JOIN_ANYCAST 27u
#define VT_IPV6_FLOWLABEL_MGR 32u
#define VT_IPV6_PKTINFO 50u
#define VT_IPV6_HOPOPTS 54u
#define VT_IPV6_RTHDRDSTOPTS 55u
#define VT_IPV6_RTHDR 57u
#define VT_IPV6_DSTOPTS 59u
#define VT_IPV6_TRANSPARENT 75u
#define VT_IPV6_FREEBIND 78u

/* Sizes of struct sockaddr_nl, _in, _in6 and __kernel_sockaddr_storage (linux/netlink.h, in.h, in6.h, socket.h). */
#define VT_SOCKADDR_NL_SIZE 12u
#define VT_SOCKADDR_IN_SIZE 16u
#define VT_SOCKADDR_IN6_SIZE 28u
#define VT_SOCKADDR_STORAGE_SIZE 128u

/* linux/sched.h */
#define VT_CLONE_VM 0x00000100u
#define VT_CLONE_FS 0x00000200u
#define VT_CLONE_FILES 0x00000400u
#define VT_CLONE_SIGHAND 0x00000800u
#define VT_CLONE_PARENT 0x00008000u
#define VT_CLONE_THREAD 0x00010000u
#define VT_CLONE_NEWNS 0x00020000u
#define VT_CLONE_SYSVSEM 0x00040000u
#define VT_CLONE_NEWCGROUP 0x02000000u
#define VT_CLONE_NEWUTS 0x04000000u
#define VT_CLONE_NEWIPC 0x08000000u
#define VT_CLONE_NEWUSER 0x10000000u
#define VT_CLONE_NEWPID 0x20000000u
#define VT_CLONE_NEWNET 0x40000000u
#define VT_CLONE_NAMESPACES \
  (VT_CLONE_NEWNS | VT_CLONE_NEWCGROUP | VT_CLONE_NEWUTS | VT_CLONE_NEWIPC | VT_CLONE_NEWUSER | VT_CLONE_NEWPID | \
   VT_CLONE_NEWNET)

/* linux/futex.h */
#define VT_FUTEX_REQUEUE 3u
#define VT_FUTEX_CMP_REQUEUE 4u
#define VT_FUTEX_CMP_REQUEUE_PI 12u
#define VT_FUTEX_COMMAND 127u /* the command bits that FUTEX_CMD_MASK leaves, in Linux 7.3 too */
#define VT_FUTEX_PRIVATE_FLAG 128u

/* asm-generic/resource.h, linux/resource.h, linux/ioprio.h */
#define VT_RLIMIT_FSIZE 1u
#define VT_RLIMIT_CORE 4u
#define VT_RLIMIT_LOCKS 10u
#define VT_PRIO_PROCESS 0u
#define VT_IOPRIO_WHO_PROCESS 1u

/* linux/prctl.h */
#define VT_PR_SET_SECCOMP 22u

/* syslog(2), kernel include/linux/syslog.h */
#define VT_SYSLOG_ACTION_READ_ALL 3u
#define VT_SYSLOG_ACTION_SIZE_BUFFER 10u

