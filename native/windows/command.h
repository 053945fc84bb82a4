// One command. Its thread owns it; other threads only leave orders, under the registry's lock.
#pragma once

#include <windows.h>

#include <cstddef>

extern "C" {
#include "../core.h"
}

namespace vt {

// pipe.cc: pipes with one end for overlapped I/O, and the other for a command to inherit.

constexpr DWORD kReadSize = 64 * 1024;

struct OutputPipe {
  HANDLE end;         // NULL: not open
  bool reading;
  OVERLAPPED state;   // its event is set when a read completes
  char* buffer;
};

// Bytes to be written to a command; they follow the struct.
struct Chunk {
  Chunk* next;
  size_t length, written;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

struct InputPipe {
  HANDLE end;
  bool writing;
  OVERLAPPED state;
  Chunk* queue;
  bool close_after;   // close once the queue is empty
  size_t gone;        // bytes of chunks that were written, or dropped because the reader is gone; reset by take_gone
};

// Both return the other, inheritable end, or NULL with GetLastError.
HANDLE open_output(OutputPipe* pipe);
HANDLE open_input(InputPipe* pipe);

void close_output(OutputPipe* pipe);
void close_input(InputPipe* pipe);

// Closes the pipe at its end.
void begin_read(OutputPipe* pipe);
// 0: the read is pending, or the pipe has ended and is closed.
DWORD finish_read(OutputPipe* pipe);

// Takes ownership of the chunks.
void add_chunks(InputPipe* pipe, Chunk* chunks);
void begin_write(InputPipe* pipe);
void finish_write(InputPipe* pipe);
size_t take_gone(InputPipe* pipe);

// low_integrity.cc: the token of a read-mode command (Low integrity, no privileges), and the integrity at which a process actually runs.

struct Integrity {
  DWORD level;       // SECURITY_MANDATORY_*_RID
  bool no_write_up;  // TOKEN_MANDATORY_POLICY_NO_WRITE_UP: without it the level restricts no writes
};

// A primary token of this process without privileges, at Low integrity. NULL with GetLastError.
HANDLE low_integrity_token();

// False with GetLastError.
bool integrity_of(HANDLE process, Integrity* integrity);

// Whether a confined command may run so. Test builds can raise the level.
bool is_held(const Integrity& integrity);

#ifdef VITRINE_OVERRIDE
void accept_integrity(DWORD level);
#endif

// Orders of other threads to a command.
struct Orders {
  int signal;         // end the command; the result names this signal
  size_t consumed;    // bytes of output
  Chunk* to_write;    // for its stdin, in order
  bool close_stdin;
};

struct Command {
  Command* next;      // in the registry
  vt_request request;
  HANDLE ordered;     // event: orders are waiting
  Orders orders;      // under the registry's lock

  HANDLE process, job;
  DWORD pid;
  OutputPipe outputs[2];
  InputPipe input;
  size_t unconsumed;  // bytes handed out and not yet consumed
  int ended_by;       // the first signal that ended the job; 0: none
};

struct Failure {
  const char* step;   // NULL: none
  DWORD error;        // GetLastError; "integrity": the level that was read back
};

Failure start(Command* command);

// Frees the command at its end.
DWORD WINAPI run(void* command);

// For the probe: creates a suspended process like a confined command's. 0 or an error.
DWORD try_low_integrity(Integrity* integrity, bool* ui_limits);

// Called by the command's thread.
Orders take_orders(Command* command);
void forget(Command* command);

}  // namespace vt
