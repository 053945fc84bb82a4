// Pipes with one end for overlapped I/O, and the other for a command to inherit.
#pragma once

#include <windows.h>

#include <cstddef>

namespace vt {

constexpr DWORD kReadSize = 64 * 1024;

// Our end of a command's output.
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

// Our end of a command's stdin.
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

// Begins a read unless one is pending. Closes the pipe at its end.
void begin_read(OutputPipe* pipe);
// The number of bytes of a completed read; 0: still pending, or at the end, which closes the pipe.
DWORD finish_read(OutputPipe* pipe);

// Takes ownership of the chunks.
void add_chunks(InputPipe* pipe, Chunk* chunks);
// Writes the first chunk unless a write is pending; closes once the queue is empty and close_after is set.
void begin_write(InputPipe* pipe);
// Accounts for a completed write; closes the pipe on failure.
void finish_write(InputPipe* pipe);
size_t take_gone(InputPipe* pipe);

}  // namespace vt
