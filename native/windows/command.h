// One command: what was asked for, its process, job and pipes. Its own thread has it from start to end;
// other threads only leave orders, under the registry's lock.
#pragma once

#include <windows.h>

extern "C" {
#include "../core.h"
}

#include "low_integrity.h"
#include "pipe.h"

namespace vt {

// The steps of a start, in order; a failed one is reported by name.
enum Step { kNoStep, kPipesStep, kTokenStep, kJobStep, kExecStep, kIntegrityStep, kResumeStep, kThreadStep };

// What other threads have asked of a command.
struct Orders {
  int signal;         // end it; the result names this signal
  size_t consumed;    // bytes of output taken back
  Chunk* to_write;    // for its standard input, in order
  bool close_stdin;
};

struct Command {
  Command* next;      // in the registry
  vt_request request;
  HANDLE ordered;     // event: there are orders
  Orders orders;      // under the registry's lock

  HANDLE process, job;
  DWORD pid;
  OutputPipe outputs[2];
  InputPipe input;
  size_t unconsumed;  // bytes handed out and not yet taken back
  int ended_by;       // the signal that the job was first ended with; 0: nobody has
};

// What a start failed at.
struct Failure {
  Step step;
  DWORD error;        // of GetLastError; of kIntegrityStep: the level that was read back
};

// Starts the command, confined when its request says so. It runs only when all of that holds.
Failure start(Command* command);

// The thread of a command, from start to end. It frees the command.
DWORD WINAPI run(void* command);

// Starts a process that never runs, as a confined command would be, and reads its integrity back. 0 or an error.
DWORD try_low_integrity(Integrity* integrity, bool* ui_limits);

// For the command's thread.
Orders take_orders(Command* command);
void forget(Command* command);

}  // namespace vt
