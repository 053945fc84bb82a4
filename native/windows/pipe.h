// Pipes whose one end is read or written without waiting, and whose other end a command inherits.
#pragma once

#include <windows.h>

#include <cstddef>

namespace vt {

constexpr DWORD kReadSize = 64 * 1024;

// The end that reads what a command writes.
struct OutputPipe {
  HANDLE end;         // NULL: not open, or closed
  bool reading;
  OVERLAPPED state;   // its event tells that a read is over
  char* buffer;
};

// Bytes on their way to a command; they follow the struct.
struct Chunk {
  Chunk* next;
  size_t length, written;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

// The end that writes what a command reads.
struct InputPipe {
  HANDLE end;
  bool writing;
  OVERLAPPED state;
  Chunk* queue;
  bool close_after;   // close once the queue is empty
  size_t gone;        // bytes of whole chunks that have gone, or never will because nobody reads; taken by take_gone
};

// Both give the other end, which a child can inherit, or NULL with GetLastError.
HANDLE open_output(OutputPipe* pipe);
HANDLE open_input(InputPipe* pipe);

void close_output(OutputPipe* pipe);
void close_input(InputPipe* pipe);

// Begins a read unless one is on its way. Closes the pipe at its end.
void begin_read(OutputPipe* pipe);
// The bytes of a read that is over, 0 when there are none (yet, or any more: then the pipe is closed).
DWORD finish_read(OutputPipe* pipe);

// Takes the chunks over and begins to write, or closes when nothing more will come.
void add_chunks(InputPipe* pipe, Chunk* chunks);
void begin_write(InputPipe* pipe);
// Sees to a write that is over.
void finish_write(InputPipe* pipe);
size_t take_gone(InputPipe* pipe);

}  // namespace vt
