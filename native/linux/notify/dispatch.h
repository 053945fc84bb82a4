/* Decides notified calls: refused and reported, carried out, or continued. Runs on a notifier; a lookup may block. */
#pragma once

#include <stdint.h>
#include <sys/stat.h>

#include "notify/notification.h"
#include "notify/sockets/address.h"

/* False: its caller was killed meanwhile. */
bool vt_notification_receive(struct vt_notification *notification, struct vt_listener *listener);

void vt_dispatch(struct vt_notification *notification);

/* Counts a denial first, so that an ended command has all counted; then replies. Never blocks. */
void vt_reply(struct vt_notification *notification);

struct vt_proxy_client;

/* handlers/path.c: by where the path leads */
void vt_handle_open(struct vt_notification *notification);
void vt_handle_truncate(struct vt_notification *notification);
void vt_handle_remove(struct vt_notification *notification);
void vt_handle_create(struct vt_notification *notification);
void vt_handle_link(struct vt_notification *notification);
void vt_handle_rename(struct vt_notification *notification);

/* handlers/processes.c: by whose the target is; of the caller itself, by its number; what a process does to its own limits and rights */
void vt_handle_signal(struct vt_notification *notification);
void vt_handle_scheduling(struct vt_notification *notification);
void vt_handle_file_limit(struct vt_notification *notification);
void vt_handle_umask(struct vt_notification *notification);
void vt_handle_own_domain(struct vt_notification *notification);
void vt_handle_capabilities(struct vt_notification *notification);
void vt_handle_own_filter(struct vt_notification *notification);

/* handlers/connect.c */
void vt_handle_bind(struct vt_notification *notification);
void vt_handle_connect(struct vt_notification *notification);
/* Which process connected to the proxy from which port: the kernel tells the proxy only the port. */
void vt_proxy_client_add(uint16_t port, const struct vt_proxy_client *client);

/* handlers/private_files.c: whether our descriptor is of a private directory of the command, or beneath one */
bool vt_is_private(const struct vt_listener *listener, int fd);
/* Carries a refused call out on a private file. False: it is none, or the call stays refused. */
bool vt_private_gate(struct vt_notification *notification);
/* What it carries out: each returns 0 when done, an errno, or -1, and the refusal stands. */
int vt_private_op_chmod(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_chown(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_times(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_set_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_remove_attribute(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_lock(struct vt_notification *notification, const struct vt_private_file *file);
int vt_private_op_clone_data(struct vt_notification *notification, const struct vt_private_file *file);

/* world/own_paths.c: /dev/shm/NAME is a file in the command's TMPDIR; /dev/ptmx and the slaves of masters that the caller has are opened,
 * where its listener has a world and this thread may act for it. True: the call of the path in `given` is decided. */
bool vt_own_world(struct vt_notification *notification);
/* An open to read, as of shm_open(3) and of a terminal without waiting (open(2), O_NONBLOCK). Any other goes on. */
void vt_own_world_read(struct vt_notification *notification);
void vt_handle_terminal_peer(struct vt_notification *notification); /* ioctl(2), TIOCGPTPEER */
/* Opens a device that every command may write to (confine/ruleset.h), by what it is or, without `status`, by the path as given: Landlock decides. A
 * command without a terminal is told so, as the kernel would (ENXIO): Landlock, which grants /dev/tty for reading only, says EACCES. */
bool vt_opens_harmless(struct vt_notification *notification, const struct stat *status, uint32_t flags);

/* world/world.c: shmget(2), shmat(2), shmctl(2) */
void vt_handle_segment(struct vt_notification *notification);

/* handlers/waiting.c: a call that waits, as an open of a FIFO for writing for a reader (fifo(7)), flock(2) for the lock, connect(2) for room
 * in a queue. The notifier tries it between the others, so that it never blocks. */
struct vt_waiter;

/* An errno, EAGAIN: it has to wait on, or VT_ANSWERED. */
enum { VT_ANSWERED = -1 };
typedef int (*vt_attempt)(struct vt_notification *by, struct vt_waiter *waiter);

struct vt_waiter {
  struct vt_waiter *next;
  uint64_t id; /* of the notification */
  pid_t thread;
  int fd;            /* a FIFO, by O_PATH; or the caller's file; closed at the end, as is `socket` */
  int socket;        /* of connect.c, as is `plain`; -1: none */
  union vt_address plain;
  uint32_t flags;    /* of the descriptor to be sent; the operation of flock(2) */
  vt_attempt try;
  bool answered;     /* the caller waits no longer */
  bool stays;        /* even then */
  bool signal_seen;  /* the last look saw a process-directed signal, which another thread may take */
  int64_t due, pause, last_pause;
  int64_t until;     /* then it ends with `late`, an errno */
  int late;
};

/* The notification is answered once it need not wait, or at a signal. Takes over the descriptor. NULL: too many wait. */
struct vt_waiter *vt_wait(struct vt_notification *notification, int fd, vt_attempt try);

/* The same; if too many wait, the descriptor is closed and `error` applies. */
void vt_wait_for_reader(struct vt_notification *notification, int fifo);
void vt_wait_for_lock(struct vt_notification *notification, int fd, int operation);

/* Tries those that are due. Returns the milliseconds until the next try, -1: none waits. `by`: the notifier's last notification. */
int vt_wait_try(struct vt_waiter **waiting, struct vt_notification *by);

void vt_wait_drop(struct vt_waiter **waiting);

/* caller/describe.c: the target of a refused call; the text of its report */
void vt_say(struct vt_notification *notification, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vt_describe(struct vt_notification *notification);
/* Whether the descriptor that the call names is closed: its answer is EBADF, and no denial. */
bool vt_names_closed(struct vt_notification *notification);
/* Refuses it with EACCES, reported. */
void vt_refuse(struct vt_notification *notification);
/* Reads the call's path as given; "": it has none. False: it cannot be read. */
bool vt_read_given(struct vt_notification *notification);
/* The refused socket is for a user or group lookup of libc. */
bool vt_is_nss_lookup(const struct vt_notification *notification);
