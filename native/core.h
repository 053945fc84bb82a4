/* Between binding.cc and a system's core: starts commands, reports their output and end, takes orders by id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Raised, also in src/launch/addon.ts, with every change of a function of the addon. */
enum { VT_INTERFACE = 27 };

struct vt_denials; struct vt_notes; struct vt_dir_snapshot;

/* Limits of a command with everything it starts; 0: no limit. */
struct vt_limits {
  uint64_t memory_bytes, cpu_seconds, processes;
  uint64_t open_files; /* of each process */
  uint64_t private_tmp_bytes; /* in the directories granted for writing */
};

/* Its texts live as long as the denials. */
struct vt_refused {
  const char *operation, *call, *program;
  const char *text; /* path or address, NULL: none */
  bool is_path;
  bool is_protected; /* Linux, workspace mode: the path is protected */
  bool own_sandbox;  /* Linux: allowed, had the program no sandbox of its own */
  int pid;
  uint64_t count;
};

bool vt_core_denial(const struct vt_denials *denials, int row, struct vt_refused *refused); /* false: no such row */
void vt_core_free_denials(struct vt_denials *denials);
/* Linux, workspace mode: what the command made or changed that programs outside obey. `before`: what the file held, or NULL. */
struct vt_noticed {
  const char *kind, *path, *before; /* kinds: "repository", "name", "moved" */
  size_t before_length;
};

bool vt_core_note(const struct vt_notes *notes, int row, struct vt_noticed *noticed); /* false: no such row */
bool vt_core_notes_unseen(const struct vt_notes *notes); /* there is more than the rows say */
void vt_core_free_notes(struct vt_notes *notes);

enum { VT_OPEN_PORTS_MAX = 32 };

/* A TCP socket that a command's process listens on (Linux). */
struct vt_open_port {
  char address[48], program[16]; /* INET6_ADDRSTRLEN, TASK_COMM_LEN */
  int port, pid;
};

enum { VT_LEFT = 8 };

struct vt_end {
  const char *failed_step; /* NULL: it ran */
  int failed_errno; /* errno; Windows: GetLastError */
  int64_t code;     /* exit code, when signal is 0 */
  int signal;
  int killed;       /* survivors that were killed */
  int alive;        /* survivors that live on */
  int group;
  int left[VT_LEFT]; /* Linux, unconfined: process ids of those that live on outside of the group; 0 ends them */
  bool timed_out;  /* it still ran at its deadline */
  bool unsearched; /* the search for files kept by name (VT_NAME) ended at its bound */
  const char *limited; /* JavaScript name of the limit that ended it; NULL: none */
  struct vt_denials *denials; /* freed by the receiver of `end` */
  struct vt_open_port *open_ports; /* NULL: none; the last has port 0; likewise, by free(3) */
  struct vt_notes *notes; /* likewise */
};

/* Called on a thread of the core. `end` comes once, after the last `output`. */
struct vt_owner {
  void (*output)(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length);
  void (*end)(struct vt_owner *owner, uint32_t id, const struct vt_end *end);
  void (*release)(struct vt_owner *owner); /* a command needs it no more */
  void (*written)(struct vt_owner *owner, uint32_t id, size_t length); /* Windows: bytes written to its stdin, or dropped */
  void (*started)(struct vt_owner *owner, uint32_t id); /* only with a terminal, or `tells_start` */
  void (*asked)(struct vt_owner *owner, uint32_t id, size_t number, const char *path); /* Linux: may this protected path change? */
  /* Linux: an address that `open_ports` of the end has too; comes before what is printed after listen(2). NULL: not wanted */
  void (*listening)(struct vt_owner *owner, uint32_t id, const struct vt_open_port *port);
};

enum { VT_STDIN_NULL = -1, VT_STDIN_PIPE = -2 };
enum { VT_STATE_FD = 3, VT_STATE_BYTES = 512 * 1024 };

/* NUL-terminated items; `length` excludes the last NUL. */
struct vt_text {
  char *at;
  size_t length;
};

/* Without a VT_READABLE place everything can be read. */
enum vt_place_kind {
  VT_NO_PLACE, /* ends an array of places */
  VT_WRITABLE,
  VT_SERVICE, /* ADDRESS:PORT of loopback to connect to without the proxy; needs `world` */
  VT_READABLE,
  VT_UNLINKED, /* readable too, unless a symbolic link is on the way: a command may have made it */
  VT_UNREADABLE,
  VT_SEARCHED, /* a directory that is searched for files to make unreadable, by the patterns of the three kinds below */
  VT_NAME,     /* a pattern (fnmatch(3)): files with such a name are unreadable */
  VT_EXCEPTED, /* a pattern: files with such a name stay readable */
  VT_SKIPPED,  /* a pattern: directories with such a name are not searched */
  VT_ROOT,      /* workspace mode: a directory that the command may change */
  VT_PROTECTED, /* workspace mode: what the command may not change in a VT_ROOT directory */
  VT_CLOSED,    /* a directory whose entries may not be made or changed, except on the way to a VT_PROTECTED place */
  VT_UNMADE,    /* a git directory that does not exist, and that the command may make: with a plain configuration, and sample hooks */
};

struct vt_place {
  enum vt_place_kind kind;
  const char *text; /* an absolute path, a pattern, a name or an address */
};

/* Where a confined command may connect to, instead of anywhere: a port of 127.0.0.1. */
struct vt_proxy {
  uint16_t port;    /* 0: no proxy */
  uint32_t command; /* the proxy's number for the command */
};

/* The core frees the array of places, and the block of all texts, which begins at candidates.at. */
struct vt_request {
  uint32_t id;
  struct vt_owner *owner;
  struct vt_text candidates, argv, environment, directory; /* Windows: argv is the whole command line */
  struct vt_place *places; /* Linux: what a confined command may reach; NULL: it is unconfined */
  struct vt_limits limits;
  int stdin_fd; /* a descriptor, or VT_STDIN_* */
  uint32_t timeout_ms, grace_ms; /* Linux: deadline; from SIGTERM to SIGKILL, also in vt_core_terminate(). Both 0: left to the owner */
  uint16_t columns, rows; /* Linux: size of a terminal instead of pipes; 0: none */
  bool merged, confined;
  bool keeps_state; /* Linux: the command gets a file as descriptor 3, in which its shell leaves its state */
  bool tells_start; /* Linux: `started` comes once it runs */
  bool network;  /* Linux, confined: TCP and UDP clients */
  struct vt_proxy proxy; /* Linux, confined, without `network`: needs `listener` */
  uint32_t world; /* Linux, confined: commands of one number reach each other's sockets; needs `listener`; 0: none */
  bool listener; /* Linux, confined: refused calls are notified and reported */
  bool asks; /* Linux, workspace mode: asks before something protected changes */
  int abi;
};

struct vt_started {
  const char *failed_step; /* NULL: queued, `end` follows */
  int failed_errno;
  int stdin_fd; /* our end of stdin or the terminal; -1: none, or see vt_core_write */
  int state_fd; /* with `keeps_state`; else -1 */
};

void vt_core_spawn(const struct vt_request *request, struct vt_started *started);

/* Orders; without effect once the command has ended. */
void vt_core_terminate(uint32_t id, bool at_deadline); /* SIGTERM, SIGCONT to the group; at_deadline: also by the owner's clock */
void vt_core_kill(uint32_t id); /* SIGKILL to all processes of the command */
void vt_core_signal(uint32_t id, int signal);
void vt_core_consumed(uint32_t id, size_t bytes);
void vt_core_notice_names(const char *lines); /* Linux: the names of notes, `a/b` or `*.suffix` each; once for the process */
void vt_core_answer(uint32_t id, size_t number, bool yes); /* Linux: to the owner's `asked` */
void vt_core_resize(uint32_t id, uint16_t columns, uint16_t rows); /* Linux */
/* For an owner that goes away; releases it once more. */
void vt_core_kill_all_of(struct vt_owner *owner);

struct vt_facts {
  void *to;
  void (*number)(void *to, const char *name, double value);
  void (*flag)(void *to, const char *name, bool value);
  void (*text)(void *to, const char *name, const char *utf8);
};

void vt_core_probe(const struct vt_facts *facts);

/* Starts the watcher; 0 or an errno. */
int vt_core_watch(void);
/* 0: none. */
int vt_core_watcher_pid(void);

#ifdef __linux__
struct vt_private {
  /* NULL: made; else "temporary": it cannot be opened; "unsafe": another user could rename in it; "parent": vitrine-UID in it cannot be
   * made or opened; "foreign": that belongs to another user, is a symlink or no directory, or is open to others; "directory": it cannot
   * be made; "lock": it cannot be locked. */
  const char *failed_step;
  int failed_errno;
  int lock;        /* descriptor, open while the directory is in use */
  char path[4096]; /* absolute, without symlinks */
};

void vt_core_make_private(const char *temporary, struct vt_private *made);
/* Closes the lock; 0, or the errno of what a later sweep removes. Blocks, two minutes at most: not on the JavaScript thread. */
int vt_core_remove_private(int lock);
/* The same without blocking, if it is empty, as after most commands. False: it stays, locked. */
bool vt_core_remove_empty_private(int lock);
/* Resets its times; false: something else has changed, so it must be removed. */
bool vt_core_reset_private(int lock);
/* Removes the directories of dead hosts; 0 or an errno. Blocks. */
int vt_core_sweep_private(const char *temporary);

/* What is at some paths. `above`: only which directory; `paths`: also its times, and what a link leads to. Both end with NULL. */
struct vt_dir_snapshot *vt_core_snapshot(const char *const *above, const char *const *paths);
/* False also if something had changed just before: another change in that tick would not show. */
bool vt_core_unchanged(const struct vt_dir_snapshot *snapshot);
void vt_core_free_snapshot(struct vt_dir_snapshot *snapshot);

/* The process of a command that connected to the proxy. */
struct vt_proxy_client {
  uint32_t command;
  int pid;
  char program[16]; /* empty: unknown */
};

/* By the port that it connected from; once for each connection. False: no command's. */
bool vt_core_proxy_client(uint16_t port, struct vt_proxy_client *client);

/* An exclusive flock(2), without waiting; 0 or an errno. */
int vt_core_lock(int fd);
#endif

#ifdef _WIN32
/* Copies the bytes; `written` follows once they are written, or can no longer be. */
void vt_core_write(uint32_t id, const char *bytes, size_t length);
void vt_core_close_stdin(uint32_t id);
#endif

#ifdef VITRINE_OVERRIDE
/* Test builds only: the highest integrity level at which a confined command may run. */
void vt_core_accept_integrity(uint32_t level);
#endif
