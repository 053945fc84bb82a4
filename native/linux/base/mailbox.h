/* Orders to the supervisor from other threads. */
#pragma once

#include "base/command.h"

enum vt_message_kind {
  VT_MESSAGE_ADD, VT_MESSAGE_LAUNCHED,
  VT_MESSAGE_TERMINATE, VT_MESSAGE_KILL, VT_MESSAGE_SIGNAL, VT_MESSAGE_CONSUMED, VT_MESSAGE_RESIZE, VT_MESSAGE_ASK,
  VT_MESSAGE_ANSWER, VT_MESSAGE_KILL_ALL,
};

struct vt_message {
  struct vt_message *next;
  enum vt_message_kind kind;
  struct vt_command *command; /* ADD, LAUNCHED */
  struct vt_owner *owner;     /* KILL_ALL */
  uint32_t id;
  size_t value;               /* TERMINATE: at the deadline?; SIGNAL: number; CONSUMED: bytes; RESIZE: columns * 65536 + rows;
                                 ASK: number; ANSWER: number * 2 + yes */
  char *text;                 /* ASK: the protected path; the supervisor frees it */
};

/* Returns the wake-up descriptor, or -1 with errno. */
int vt_mailbox_open(void);

/* Without `wake` it waits for the next wake-up. */
void vt_mailbox_post(struct vt_message order, bool wake);

void vt_mailbox_wake(void);

/* All orders, oldest first, each to be freed. */
struct vt_message *vt_mailbox_take(void);
