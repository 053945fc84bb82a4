/* What a platform does for binding.cc: start commands, tell of their output and end, obey orders by id.
 * native/linux/core.c and native/windows/core.cc implement it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What binding.cc and src/launch/addon.ts agree on: raised in both with every change of a function, its arguments or what
 * it answers, so that neither takes the other for one that it is not. */
enum { VT_INTERFACE = 3 };

struct vt_denials;

/* What a command and everything it starts may use; 0: as much as there is. */
struct vt_limits {
  uint64_t memory_bytes, cpu_seconds, processes;
  uint64_t open_files; /* of each process */
  uint64_t private_tmp_bytes; /* in the directories granted for writing */
};

/* How a command ended. */
struct vt_end {
  int failed_step;  /* 0: it ran; else for vt_core_step_name */
  int failed_errno; /* errno, on Windows of GetLastError */
  int64_t code;     /* exit code, when signal is 0 */
  int signal;
  int killed;       /* processes that were still there at the end and were killed */
  int alive;        /* processes that live on */
  int group;        /* process group of the command */
  bool timed_out;  /* it was still there at its deadline */
  bool unsearched; /* the search for names that cannot be read ended at its bound */
  const char *limited; /* the limit that ended it, as JavaScript names it; NULL: none */
  struct vt_denials *denials; /* what was refused, NULL: nothing; whoever hears of the end frees it */
};

struct vt_looked;

/* Who hears of a command, on a thread of the core. `end` comes once, after the last `output`. */
struct vt_owner {
  void (*output)(struct vt_owner *owner, uint32_t id, int stream, const char *bytes, size_t length);
  void (*end)(struct vt_owner *owner, uint32_t id, const struct vt_end *end);
  void (*release)(struct vt_owner *owner); /* this command refers to the owner no more */
  void (*written)(struct vt_owner *owner, uint32_t id, size_t length); /* Windows: so much has gone to its input */
  void (*started)(struct vt_owner *owner, uint32_t id); /* a command with a terminal: it runs */
  void (*looked)(struct vt_owner *owner, const struct vt_looked *looked); /* Linux: the answers to what was asked; once at most */
};

enum { VT_STDIN_NULL = -1, VT_STDIN_PIPE = -2 };

/* Items, each ended by NUL; `length` is without the last NUL. */
struct vt_text {
  char *at;
  size_t length;
};

/* What a path among the places is granted or kept from. Without a readable one everything can be read. */
enum vt_place_kind {
  VT_WRITABLE = 'w',
  VT_SOCKET = 'x', /* a unix socket that can be connected to */
  VT_READABLE = 'r',
  VT_UNREADABLE = 'u',
  VT_SEARCHED = 's', /* a directory beneath which files are kept because of their name: */
  VT_NAME = 'n',     /* it fits this pattern (fnmatch(3)) */
  VT_EXCEPTED = 'e', /* and not this one */
  VT_SKIPPED = 'k',  /* directories of such a name are not looked into */
};

/* What JavaScript asks for. All texts lie in one block that begins at candidates.at, which the core frees. */
struct vt_request {
  uint32_t id;
  struct vt_owner *owner;
  struct vt_text candidates, argv, environment, directory; /* Windows: argv is the command line, whole */
  struct vt_text places; /* Linux, confined: paths and patterns, each behind one letter of enum vt_place_kind */
  struct vt_limits limits;
  int stdin_fd; /* a descriptor, or VT_STDIN_* */
  uint32_t timeout_ms, grace_ms; /* Linux: to its deadline, and from SIGTERM to SIGKILL, then and by vt_core_terminate(); 0, 0: the owner sees to both */
  uint16_t columns, rows; /* Linux: of the terminal that it is given instead of stdin and pipes; 0: none */
  bool merged, confined;
  bool network, listener, report; /* Linux, confined */
  bool state; /* Linux: its descriptor 3 is a pipe to the owner */
  int abi;
};

/* The answer at once. */
struct vt_started {
  int failed_step; /* 0: queued, `end` will come */
  int failed_errno;
  int stdin_fd; /* our end of the pipe that was asked for, or leads to the terminal; -1: none, or it is written by vt_core_write */
  int state_fd; /* our end of the pipe from its descriptor 3, non-blocking; -1: none */
};

void vt_core_spawn(const struct vt_request *request, struct vt_started *started);

/* Orders; a command that has ended is none to obey. */
void vt_core_terminate(uint32_t id, bool at_deadline); /* at_deadline: by the owner's clock it is over, too */
void vt_core_kill(uint32_t id);
void vt_core_signal(uint32_t id, int signal);
void vt_core_consumed(uint32_t id, size_t bytes);
void vt_core_resize(uint32_t id, uint16_t columns, uint16_t rows); /* Linux */
/* The owner goes away: its commands are killed, and the owner is released once more than it has commands. */
void vt_core_kill_all_of(struct vt_owner *owner);

const char *vt_core_step_name(int step);

/* What was refused, and how often. The texts live as long as the denials. */
struct vt_refused {
  const char *operation, *call, *program;
  const char *text; /* path or address, NULL: none */
  bool is_path;
  int pid;
  uint64_t count;
};

/* Fills in one row; false when there is none (any more). */
bool vt_core_denial(const struct vt_denials *denials, int row, struct vt_refused *refused);
void vt_core_free_denials(struct vt_denials *denials);

/* Takes the facts of the probe, in the order of the JavaScript object. */
struct vt_facts {
  void *to;
  void (*number)(void *to, const char *name, double value);
  void (*flag)(void *to, const char *name, bool value);
  void (*text)(void *to, const char *name, const char *utf8);
};

void vt_core_probe(const struct vt_facts *facts);

/* Starts what ends the commands of a host that was killed; 0 or an errno. */
int vt_core_watch(void);
/* Its process id; 0: there is none. */
int vt_core_watcher_pid(void);

#ifdef __linux__
/* At what the making of a private directory failed. */
enum vt_private_step {
  VT_PRIVATE_TEMPORARY = 1, /* the temporary directory cannot be opened */
  VT_PRIVATE_UNSAFE,        /* anybody may rename what stands in it: others can write, and no sticky bit */
  VT_PRIVATE_PARENT,        /* vitrine-UID in it can be neither made nor opened */
  VT_PRIVATE_FOREIGN,       /* vitrine-UID is somebody else's, a link, or open to others */
  VT_PRIVATE_DIRECTORY,     /* the directory itself cannot be made */
  VT_PRIVATE_LOCK,          /* it cannot be locked */
};

/* A directory of one command's own. */
struct vt_private {
  int failed_step; /* 0: it is there; else for vt_core_private_step_name */
  int failed_errno;
  int lock;        /* a descriptor: as long as it is open the directory is in use */
  char path[4096]; /* absolute, real */
};

/* Makes one beneath vitrine-UID in the temporary directory. */
void vt_core_make_private(const char *temporary, struct vt_private *made);
/* Removes it and lets go of the lock; 0, or the errno of what stays, which the next sweep removes. Blocks as long as that takes,
 * two minutes at most: any thread but JavaScript's. */
int vt_core_remove_private(int lock);
/* The same where nothing stands in it, which most commands leave: at once. False: it is still there, and locked. */
bool vt_core_remove_empty_private(int lock);
/* Removes those of hosts that have died; 0 or an errno. Blocks. */
int vt_core_sweep_private(const char *temporary);
const char *vt_core_private_step_name(int step);

/* What is asked about a path: the letter before it. */
enum vt_question {
  VT_QUESTION_WHERE = 'r',     /* where it leads, without links, as far as it exists; NUL; the rest of it */
  VT_QUESTION_NAMES = 'n',     /* the names in a directory, each behind 'l' (a link, or not known) or '-' and with a NUL; ENOBUFS: too many */
  VT_QUESTION_EXISTS = 'e',    /* whether there is anything, a link included */
  VT_QUESTION_DIRECTORY = 'd', /* whether it is a directory that can be entered; ENOTDIR, EACCES */
  VT_QUESTION_TEXT = 't',      /* the bytes of a regular file; EISDIR, EINVAL for others, EFBIG over 1 MiB */
};

/* What has been answered of the questions, in their order: an errno, a length (32 bits each), the bytes. */
struct vt_looked {
  void *ticket;
  const char *answers;
  size_t length;
};

/* Looks at paths on another thread, for as long as that takes: `owner` hears `looked`, and is released. Takes the questions (from
 * malloc; NUL-separated) unless it returns an errno: EBUSY when too many hang that were given up. */
int vt_core_look(struct vt_owner *owner, uint32_t id, void *ticket, struct vt_text questions);
/* Nobody hears of it any more; true unless somebody has. The answers so far are the caller's to free. */
bool vt_core_give_up_looking(uint32_t id, struct vt_looked *looked);

/* Takes an exclusive lock on an open file, flock(2), without waiting; 0 or an errno. It ends with the descriptor. */
int vt_core_lock(int fd);
#endif

#ifdef _WIN32
/* Takes a copy of the bytes; `written` comes when they have gone, or can go nowhere any more. */
void vt_core_write(uint32_t id, const char *bytes, size_t length);
void vt_core_close_stdin(uint32_t id);
#endif

#ifdef VITRINE_OVERRIDE
/* Test builds only: the integrity level up to which a confined command may run. */
void vt_core_accept_integrity(uint32_t level);
#endif
