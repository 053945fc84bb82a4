/* Orders from other threads to the supervisor: a queue and a descriptor that wakes it. */
#pragma once

#include "command.h"

enum vt_order_kind {
  VT_ORDER_ADD, VT_ORDER_LAUNCHED,
  VT_ORDER_TERMINATE, VT_ORDER_KILL, VT_ORDER_SIGNAL, VT_ORDER_CONSUMED, VT_ORDER_RESIZE, VT_ORDER_KILL_ALL,
};

struct vt_order {
  struct vt_order *next;
  enum vt_order_kind kind;
  struct vt_command *command; /* ADD, LAUNCHED */
  struct vt_owner *owner;     /* KILL_ALL */
  uint32_t id;
  size_t value;               /* TERMINATE: whether at the deadline; SIGNAL: the number; CONSUMED: bytes; RESIZE: columns * 65536 + rows */
};

/* Opens the wake-up descriptor, once; returns it or -1 with errno. */
int vt_orders_open(void);

/* Copies the order into the queue. Without `wake` it is read with the next one that wakes. */
void vt_orders_post(struct vt_order order, bool wake);

/* Wakes the supervisor without an order. */
void vt_orders_wake(void);

/* All waiting orders, first come first; the caller frees each. */
struct vt_order *vt_orders_take(void);
