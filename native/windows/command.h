// One command. Its thread owns it; other threads only leave orders, under the registry's lock.
#pragma once

#include <windows.h>

extern "C" {
#include "../core.h"
}

#include "low_integrity.h"
#include "pipe.h"

namespace vt {

// The steps of a start, in the order of step_names (core.cc).
enum Step { kNoStep, kPipesStep, kTokenStep, kJobStep, kExecStep, kIntegrityStep, kResumeStep, kThreadStep };

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
  Step step;
  DWORD error;        // GetLastError; kIntegrityStep: the level that was read back
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
