// The thread of a command.
#include "command.h"

#include <cstdlib>

namespace vt {
namespace {

// Reading stops while more output than this is handed out and not yet consumed; as on Linux.
constexpr size_t kWindow = 1024 * 1024;
// After the leader's end: drain ends after so much silence, or after so long in total. Milliseconds.
constexpr ULONGLONG kSilence = 50, kDrain = 250;
// The pipes of a terminated job close at once, unless a process outside the job inherited them. Milliseconds.
constexpr ULONGLONG kAfterKill = 500;
constexpr DWORD kStep = 5;

constexpr int kSigKill = 9;

void say_written(Command* command) {
  size_t gone = take_gone(&command->input);
  vt_owner* owner = command->request.owner;
  if (gone) owner->written(owner, command->request.id, gone);
}

// False: there was nothing to hand out.
bool take_output(Command* command) {
  bool any = false;
  vt_owner* owner = command->request.owner;
  for (int stream = 0; stream < 2; stream++) {
    OutputPipe* pipe = &command->outputs[stream];
    while (DWORD bytes = finish_read(pipe)) {
      any = true;
      command->unconsumed += bytes;
      owner->output(owner, command->request.id, stream, pipe->buffer, bytes);
      if (command->unconsumed <= kWindow) begin_read(pipe);
    }
    if (command->unconsumed <= kWindow) begin_read(pipe);
  }
  return any;
}

void pump_input(Command* command) {
  finish_write(&command->input);
  begin_write(&command->input);
  say_written(command);
}

// Windows adds a console host to the job; it ends with the last process that uses it.
bool is_console_host(ULONG_PTR pid) {
  HANDLE process = OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, FALSE, static_cast<DWORD>(pid));
  if (!process) return false;
  wchar_t name[MAX_PATH];
  DWORD length = MAX_PATH;
  constexpr wchar_t kEnding[] = L"\\conhost.exe";
  constexpr DWORD kLength = sizeof kEnding / sizeof *kEnding - 1;
  bool is = QueryFullProcessImageNameW(process, 0, name, &length) && length > kLength &&
            CompareStringOrdinal(name + length - kLength, kLength, kEnding, kLength, TRUE) == CSTR_EQUAL;
  CloseHandle(process);
  return is;
}

// Running processes of the command, console hosts excluded. Beyond 256 all count, without a check.
int active(const Command* command) {
  constexpr DWORD kMost = 256;
  union {
    JOBOBJECT_BASIC_PROCESS_ID_LIST list;
    BYTE room[sizeof(JOBOBJECT_BASIC_PROCESS_ID_LIST) + kMost * sizeof(ULONG_PTR)];
  } job;
  if (!QueryInformationJobObject(command->job, JobObjectBasicProcessIdList, &job, sizeof job, nullptr) &&
      GetLastError() != ERROR_MORE_DATA)
    return 0;
  int count = static_cast<int>(job.list.NumberOfAssignedProcesses);
  for (DWORD i = 0; i < job.list.NumberOfProcessIdsInList; i++)
    if (is_console_host(job.list.ProcessIdList[i])) count--;
  return count;
}

// The exit code of a terminated job; the result reports the signal instead.
DWORD ended_code(int signal) { return 128 + signal; }

void end_job(Command* command, int signal) {
  if (!command->ended_by) command->ended_by = signal;
  TerminateJobObject(command->job, ended_code(signal));
}

void obey(Command* command) {
  Orders orders = take_orders(command);
  command->unconsumed -= orders.consumed < command->unconsumed ? orders.consumed : command->unconsumed;
  if (orders.to_write) add_chunks(&command->input, orders.to_write);
  if (orders.close_stdin) command->input.close_after = true;
  if (orders.signal) end_job(command, orders.signal);
}

void await(Command* command, bool leader, DWORD milliseconds) {
  HANDLE handles[5];
  DWORD count = 0;
  handles[count++] = command->ordered;
  if (leader) handles[count++] = command->process;
  for (OutputPipe& pipe : command->outputs)
    if (pipe.reading) handles[count++] = pipe.state.hEvent;
  if (command->input.writing) handles[count++] = command->input.state.hEvent;
  WaitForMultipleObjects(count, handles, FALSE, milliseconds);
}

bool pump(Command* command) {
  obey(command);
  pump_input(command);
  return take_output(command);
}

bool is_open(const Command* command) { return command->outputs[0].end || command->outputs[1].end; }
bool is_paused(const Command* command) { return command->unconsumed > kWindow; }

void run_leader(Command* command) {
  pump(command);
  while (WaitForSingleObject(command->process, 0) != WAIT_OBJECT_0) {
    await(command, true, INFINITE);
    pump(command);
  }
}

// Reads until pipes and processes are gone, after `silence`, or for `most` milliseconds. Paused time does not count.
void drain(Command* command, ULONGLONG silence, ULONGLONG most) {
  ULONGLONG since = GetTickCount64(), last = since;
  for (;;) {
    ULONGLONG now = GetTickCount64();
    if (pump(command) || is_paused(command)) last = now;
    if (is_paused(command)) since = now;
    bool settled = !is_open(command) && active(command) == 0;
    if (settled || now - last >= silence || now - since >= most) return;
    await(command, false, kStep);
  }
}

// Kills survivors in read mode or after an order to end; else lets them live on without the job's limits.
void sweep(Command* command, vt_end* end) {
  int left = active(command);
  if (left && (command->request.confined || command->ended_by)) {
    if (!command->ended_by) end->killed = left;
    TerminateJobObject(command->job, ended_code(kSigKill));
    drain(command, kAfterKill, kAfterKill);
  } else if (left) {
    end->alive = left;
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION none = {};
    SetInformationJobObject(command->job, JobObjectExtendedLimitInformation, &none, sizeof none);
  }
}

vt_end finish(Command* command) {
  vt_end end = {};
  DWORD code = 0;
  GetExitCodeProcess(command->process, &code);
  end.group = static_cast<int>(command->pid);
  drain(command, kSilence, kDrain);
  sweep(command, &end);
  // The leader may have ended by itself before the order to end it took effect.
  if (command->ended_by && code == ended_code(command->ended_by)) end.signal = command->ended_by;
  end.code = code;
  return end;
}

void discard(Command* command) {
  close_output(&command->outputs[0]);
  close_output(&command->outputs[1]);
  Orders late = take_orders(command);
  if (late.to_write) add_chunks(&command->input, late.to_write);
  close_input(&command->input);
  if (command->process) CloseHandle(command->process);
  if (command->job) CloseHandle(command->job);
  CloseHandle(command->ordered);
  std::free(command->request.candidates.at);
  std::free(command);
}

}  // namespace

DWORD WINAPI run(void* data) {
  auto* command = static_cast<Command*>(data);
  vt_owner* owner = command->request.owner;
  vt_end end = {};
  Failure failure = start(command);
  if (failure.step) {
    end.failed_step = failure.step;
    end.failed_errno = static_cast<int>(failure.error);
  } else {
    run_leader(command);
    end = finish(command);
  }
  forget(command);
  owner->end(owner, command->request.id, &end);
  discard(command);
  owner->release(owner);
  return 0;
}

}  // namespace vt
