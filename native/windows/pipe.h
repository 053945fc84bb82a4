// Pipes with one end for overlapped I/O, and the other for a command to inherit.
#pragma once

#include <windows.h>

#include <cstddef>

namespace vt {

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

}  // namespace vt
