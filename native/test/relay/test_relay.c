/* Relays between real sockets of loopback: bytes, ends, limits, and what is left open. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core.h"
#include "test/check.h"

enum { PIECE = 64 * 1024, RELAYS = 32, PATIENCE_MS = 20000 };

/* A connection through the relay: client - (near, far) - server. */
struct line {
  uint32_t id;
  int client, near, far, server;
};

static int ended, asked, released;
static uint32_t ids;

static void on_relayed(struct vt_owner *owner, uint32_t id, bool has_ended) {
  (void)owner, (void)id;
  __atomic_add_fetch(has_ended ? &ended : &asked, 1, __ATOMIC_SEQ_CST);
}

static void on_release(struct vt_owner *owner) {
  (void)owner;
  __atomic_add_fetch(&released, 1, __ATOMIC_SEQ_CST);
}

static struct vt_owner owner = {.relayed = on_relayed, .release = on_release};

static bool reaches(const int *counter, int value) {
  for (int waited = 0; waited < PATIENCE_MS; waited++) {
    if (__atomic_load_n(counter, __ATOMIC_SEQ_CST) >= value) return true;
    poll(NULL, 0, 1);
  }
  return false;
}

static int count_descriptors(void) {
  int count = 0;
  DIR *directory = opendir("/proc/self/fd");
  while (readdir(directory)) count++;
  closedir(directory);
  return count;
}

static void make_pair(int *one, int *other) {
  struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t size = sizeof at;
  int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(bind(listening, (void *)&at, sizeof at) == 0 && listen(listening, 1) == 0, "errno %d", errno);
  getsockname(listening, (void *)&at, &size);
  *one = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  CHECK(connect(*one, (void *)&at, sizeof at) == 0, "errno %d", errno);
  *other = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
  close(listening);
}

static struct line make_line(void) {
  struct line line = {.id = ++ids};
  make_pair(&line.client, &line.near);
  make_pair(&line.far, &line.server);
  fcntl(line.near, F_SETFL, O_NONBLOCK);
  fcntl(line.far, F_SETFL, O_NONBLOCK);
  return line;
}

static int begin(const struct line *line, uint64_t room) {
  return vt_core_relay(&(struct vt_relay_request){line->id, &owner, line->near, line->far, room, false});
}

static struct line relayed(uint64_t room) {
  struct line line = make_line();
  int error = begin(&line, room);
  CHECK(error == 0, "errno %d", error);
  return line;
}

static void close_line(const struct line *line) {
  close(line->near);
  close(line->far);
  if (line->client >= 0) close(line->client);
  if (line->server >= 0) close(line->server);
}

static void reset(int fd) {
  setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){1, 0}, sizeof(struct linger));
  close(fd);
}

struct stream {
  int fd;
  size_t bytes;
};

static unsigned char byte_at(size_t at) { return (unsigned char)(at * 2654435761u >> 13); }

static void *send_all(void *context) {
  struct stream *stream = context;
  unsigned char piece[PIECE];
  for (size_t at = 0; at < stream->bytes;) {
    size_t length = stream->bytes - at < PIECE ? stream->bytes - at : PIECE;
    for (size_t i = 0; i < length; i++) piece[i] = byte_at(at + i);
    ssize_t sent = send(stream->fd, piece, length, MSG_NOSIGNAL);
    if (sent <= 0) break;
    at += sent;
  }
  shutdown(stream->fd, SHUT_WR);
  return NULL;
}

/* Until the end; the bytes before the first wrong one. */
static size_t receive_all(int fd) {
  unsigned char piece[PIECE];
  size_t at = 0, right = 0;
  for (ssize_t length; (length = recv(fd, piece, PIECE, 0)) > 0;)
    for (ssize_t i = 0; i < length; i++, at++) right += right == at && piece[i] == byte_at(at);
  return right;
}

static void *receive_in_thread(void *context) {
  struct stream *stream = context;
  stream->bytes = receive_all(stream->fd);
  return NULL;
}

static void test_both_ways(void) {
  enum { UP = 9000001, DOWN = 17000003 };
  struct line line = relayed(1 << 30);
  struct stream up = {line.client, UP}, down = {line.server, DOWN}, at_server = {line.server, 0};
  pthread_t threads[3];
  pthread_create(&threads[0], NULL, send_all, &up);
  pthread_create(&threads[1], NULL, send_all, &down);
  pthread_create(&threads[2], NULL, receive_in_thread, &at_server);
  CHECK(receive_all(line.client) == DOWN, "the client got other bytes");
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  CHECK(at_server.bytes == UP, "the server got %zu", at_server.bytes);
  CHECK(reaches(&ended, 1), "no end was told");
  struct vt_relayed moved = vt_core_end_relay(line.id);
  CHECK(moved.there == UP && moved.back == DOWN, "%lu, %lu", (unsigned long)moved.there, (unsigned long)moved.back);
  moved = vt_core_end_relay(line.id);
  CHECK(moved.there == 0 && moved.back == 0, "it was not forgotten");
  close_line(&line);
}

/* It takes its room, asks, and goes on with more. The client's buffers have room for half of it. */
static void test_room(void) {
  enum { ALL = 3000000, ROOM = 300000 };
  struct line line = relayed(ROOM);
  struct stream down = {line.server, ALL};
  pthread_t sender;
  int asked_before = asked, ended_before = ended;
  pthread_create(&sender, NULL, send_all, &down);
  CHECK(reaches(&asked, asked_before + 1), "it asked for nothing");
  poll(NULL, 0, 50);
  vt_core_relay_more(line.id, 0);
  CHECK(reaches(&asked, asked_before + 2), "it asked once only");
  int there = 0;
  char bytes[PIECE];
  for (ssize_t got; there < ROOM && (got = recv(line.client, bytes, sizeof bytes, 0)) > 0;) there += got;
  CHECK(there == ROOM && recv(line.client, bytes, 1, MSG_DONTWAIT) < 0, "it moved %d", there);
  vt_core_relay_more(line.id, ALL);
  while (recv(line.client, bytes, sizeof bytes, 0) > 0);
  pthread_join(sender, NULL);
  shutdown(line.client, SHUT_WR);
  CHECK(reaches(&ended, ended_before + 1), "no end was told");
  CHECK(vt_core_end_relay(line.id).back == ALL, "bytes are missing");
  close_line(&line);
}

/* Room bytes back, nothing there, and no end of either direction. */
static void test_back_only(void) {
  enum { ALL = 100000, ROOM = 70000 };
  struct line line = make_line();
  struct stream down = {line.server, ALL};
  char bytes[ALL];
  int ended_before = ended, asked_before = asked;
  CHECK(send(line.client, "next", 4, 0) == 4, "errno %d", errno);
  send_all(&down);
  CHECK(vt_core_relay(&(struct vt_relay_request){line.id, &owner, line.near, line.far, ROOM, true}) == 0, "errno %d", errno);
  CHECK(reaches(&ended, ended_before + 1), "no end was told");
  struct vt_relayed moved = vt_core_end_relay(line.id);
  CHECK(moved.there == 0 && moved.back == ROOM, "%lu, %lu", (unsigned long)moved.there, (unsigned long)moved.back);
  CHECK(asked == asked_before, "it asked for more");
  CHECK(recv(line.client, bytes, ROOM, MSG_WAITALL) == ROOM, "errno %d", errno);
  CHECK(recv(line.client, bytes, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN, "more than that, or an end, came");
  CHECK(recv(line.near, bytes, ALL, 0) == 4, "what the client sends was taken");
  CHECK(recv(line.far, bytes, ALL, MSG_WAITALL) == ALL - ROOM, "the rest was taken");
  close_line(&line);
}

static void test_reset(bool by_client) {
  struct line line = relayed(1 << 30);
  int ended_before = ended;
  int *leaving = by_client ? &line.client : &line.server;
  reset(*leaving);
  *leaving = -1;
  CHECK(reaches(&ended, ended_before + 1), "no end was told");
  vt_core_end_relay(line.id);
  close_line(&line);
}

/* Closing our own copies is not enough for the peers, as the relay has its own. */
static void test_end_by_order(void) {
  char byte;
  struct line line = relayed(1 << 30);
  CHECK(send(line.client, "x", 1, 0) == 1 && recv(line.server, &byte, 1, 0) == 1, "errno %d", errno);
  close(line.near);
  close(line.far);
  CHECK(recv(line.server, &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN, "it ended by itself");
  CHECK(vt_core_end_relay(line.id).there == 1, "a byte is missing");
  CHECK(recv(line.client, &byte, 1, 0) == 0 && recv(line.server, &byte, 1, 0) == 0, "errno %d", errno);
  close(line.client);
  close(line.server);
}

static void test_owner_goes(void) {
  char byte;
  struct line line = relayed(1 << 30), other = relayed(1 << 30);
  int released_before = released;
  struct vt_owner stranger = owner;
  vt_core_end_relays_of(&stranger);
  CHECK(released == released_before, "the relays of another owner were ended");
  vt_core_end_relays_of(&owner);
  CHECK(released == released_before + 2, "%d were released", released - released_before);
  close(line.near);
  CHECK(recv(line.client, &byte, 1, 0) == 0, "the client sees no end");
  line.near = -1;
  close_line(&line);
  close_line(&other);
}

static void test_too_many(void) {
  struct line lines[RELAYS + 1];
  for (int i = 0; i < RELAYS; i++) lines[i] = relayed(1 << 20);
  lines[RELAYS] = make_line();
  int error = begin(&lines[RELAYS], 1 << 20);
  CHECK(error == EBUSY, "errno %d", error);
  for (int i = 0; i < RELAYS; i++) vt_core_end_relay(lines[i].id);
  for (int i = 0; i <= RELAYS; i++) close_line(&lines[i]);
}

/* Without descriptors it does not begin, and leaves none open. */
static void test_no_descriptors(void) {
  struct rlimit before, few;
  struct line line = make_line();
  getrlimit(RLIMIT_NOFILE, &before);
  int there = count_descriptors();
  for (int spare = 0; spare < 6; spare++) {
    int free_fd = dup(line.near); /* the lowest number that is free */
    close(free_fd);
    few = (struct rlimit){free_fd + spare, before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &few);
    int error = begin(&line, 1 << 20);
    setrlimit(RLIMIT_NOFILE, &before);
    CHECK(error == EMFILE || (spare == 0 && error == EINVAL), "%d spare: errno %d", spare, error);
    CHECK(count_descriptors() == there, "%d spare: descriptors stay open", spare);
  }
  CHECK(begin(&line, 1 << 20) == 0, "it does not begin afterwards");
  vt_core_end_relay(line.id);
  close_line(&line);
}

int main(void) {
  struct line first = relayed(1 << 20); /* starts the thread */
  vt_core_end_relay(first.id);
  close_line(&first);
  int there = count_descriptors();
  test_both_ways();
  test_room();
  test_back_only();
  test_reset(true);
  test_reset(false);
  test_end_by_order();
  test_owner_goes();
  test_too_many();
  test_no_descriptors();
  CHECK(count_descriptors() == there, "%d descriptors, and %d before", count_descriptors(), there);
  CHECK(released == (int)ids - 1, "%d of %u were released", released, ids);
  return finish("test_relay");
}
