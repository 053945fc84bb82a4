#include "command.h"

#include <ntsecapi.h>  // RtlGenRandom

#include <cstdlib>
#include <cwchar>

namespace vt {
namespace {

// An unguessable name. Anonymous pipes do not support overlapped I/O (CreatePipe, Remarks).
bool make_name(wchar_t (&name)[64]) {
  unsigned long long random[2];
  if (!RtlGenRandom(random, sizeof random)) {
    SetLastError(ERROR_GEN_FAILURE);
    return false;
  }
  wchar_t* at = name;
  for (const wchar_t* prefix = L"\\\\.\\pipe\\vitrine-"; *prefix; prefix++) *at++ = *prefix;
  for (unsigned long long word : random)
    for (int nibble = 0; nibble < 16; nibble++, word >>= 4) *at++ = L"0123456789abcdef"[word & 15];
  *at = 0;
  return true;
}

// Returns the inheritable end.
HANDLE open_pair(DWORD direction, DWORD access, HANDLE* own, OVERLAPPED* state) {
  wchar_t name[64];
  if (!make_name(name)) return nullptr;
  HANDLE event = CreateEventW(nullptr, TRUE, FALSE, nullptr);
  if (!event) return nullptr;
  HANDLE server = CreateNamedPipeW(name, direction | FILE_FLAG_OVERLAPPED | FILE_FLAG_FIRST_PIPE_INSTANCE,
                                   PIPE_TYPE_BYTE | PIPE_READMODE_BYTE | PIPE_WAIT | PIPE_REJECT_REMOTE_CLIENTS, 1,
                                   kReadSize, kReadSize, 0, nullptr);
  HANDLE client = INVALID_HANDLE_VALUE;
  SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, nullptr, TRUE};
  if (server != INVALID_HANDLE_VALUE)
    client = CreateFileW(name, access, 0, &inheritable, OPEN_EXISTING, 0, nullptr);
  if (client == INVALID_HANDLE_VALUE) {
    DWORD error = GetLastError();
    if (server != INVALID_HANDLE_VALUE) CloseHandle(server);
    CloseHandle(event);
    SetLastError(error);
    return nullptr;
  }
  *own = server;
  *state = {};
  state->hEvent = event;
  return client;
}

// Waits for the cancelled operation, so that its buffer can be freed.
void close_end(HANDLE* end, OVERLAPPED* state, bool busy) {
  if (!*end) return;
  DWORD bytes;
  if (busy && CancelIoEx(*end, state)) GetOverlappedResult(*end, state, &bytes, TRUE);
  CloseHandle(*end);
  CloseHandle(state->hEvent);
  *end = nullptr;
}

void drop_first(InputPipe* pipe) {
  Chunk* chunk = pipe->queue;
  pipe->queue = chunk->next;
  pipe->gone += chunk->length;
  std::free(chunk);
}

}  // namespace

HANDLE open_output(OutputPipe* pipe) {
  pipe->buffer = static_cast<char*>(std::malloc(kReadSize));
  if (!pipe->buffer) std::abort();
  return open_pair(PIPE_ACCESS_INBOUND, GENERIC_WRITE | FILE_READ_ATTRIBUTES, &pipe->end, &pipe->state);
}

HANDLE open_input(InputPipe* pipe) {
  return open_pair(PIPE_ACCESS_OUTBOUND, GENERIC_READ | FILE_WRITE_ATTRIBUTES, &pipe->end, &pipe->state);
}

void close_output(OutputPipe* pipe) {
  close_end(&pipe->end, &pipe->state, pipe->reading);
  pipe->reading = false;
  std::free(pipe->buffer);
  pipe->buffer = nullptr;
}

void close_input(InputPipe* pipe) {
  close_end(&pipe->end, &pipe->state, pipe->writing);
  pipe->writing = false;
  while (pipe->queue) drop_first(pipe);
}

void begin_read(OutputPipe* pipe) {
  if (!pipe->end || pipe->reading) return;
  // A read that completes at once sets the event, too.
  if (ReadFile(pipe->end, pipe->buffer, kReadSize, nullptr, &pipe->state) || GetLastError() == ERROR_IO_PENDING)
    pipe->reading = true;
  else
    close_output(pipe);  // ERROR_BROKEN_PIPE: all writers are gone
}

DWORD finish_read(OutputPipe* pipe) {
  if (!pipe->reading) return 0;
  DWORD bytes = 0;
  if (GetOverlappedResult(pipe->end, &pipe->state, &bytes, FALSE)) {
    pipe->reading = false;
    return bytes;
  }
  if (GetLastError() == ERROR_IO_INCOMPLETE) return 0;
  pipe->reading = false;
  close_output(pipe);
  return 0;
}

void add_chunks(InputPipe* pipe, Chunk* chunks) {
  Chunk** last = &pipe->queue;
  while (*last) last = &(*last)->next;
  *last = chunks;
  if (!pipe->end) close_input(pipe);  // the reader is gone: drops the chunks
}

void begin_write(InputPipe* pipe) {
  if (!pipe->end || pipe->writing) return;
  Chunk* chunk = pipe->queue;
  if (!chunk) {
    if (pipe->close_after) close_input(pipe);
    return;
  }
  size_t left = chunk->length - chunk->written;
  DWORD length = left < kReadSize ? static_cast<DWORD>(left) : kReadSize;
  if (WriteFile(pipe->end, chunk->bytes() + chunk->written, length, nullptr, &pipe->state) ||
      GetLastError() == ERROR_IO_PENDING)
    pipe->writing = true;
  else
    close_input(pipe);
}

void finish_write(InputPipe* pipe) {
  if (!pipe->writing) return;
  DWORD bytes = 0;
  bool over = GetOverlappedResult(pipe->end, &pipe->state, &bytes, FALSE);
  if (!over && GetLastError() == ERROR_IO_INCOMPLETE) return;
  pipe->writing = false;
  if (!over) return close_input(pipe);
  pipe->queue->written += bytes;
  if (pipe->queue->written == pipe->queue->length) drop_first(pipe);
}

size_t take_gone(InputPipe* pipe) {
  size_t gone = pipe->gone;
  pipe->gone = 0;
  return gone;
}

}  // namespace vt
