// Starts a command suspended, in its job, and resumes it once its integrity has been read back.
#include <cstdlib>

#include "command.h"

namespace vt {
namespace {

struct Parts {
  HANDLE token;           // NULL: that of this process
  HANDLE ends[3];         // stdin, stdout and stderr of the command
  wchar_t *line, *environment, *directory;
  LPPROC_THREAD_ATTRIBUTE_LIST attributes;
  PROCESS_INFORMATION process;
};

Failure failed(const char* step) { return {step, GetLastError()}; }
constexpr Failure kNone = {nullptr, 0};

// UTF-8 with embedded NULs to UTF-16 that ends with two NULs.
wchar_t* widen(const vt_text& text) {
  int length = static_cast<int>(text.length);
  int wide = length ? MultiByteToWideChar(CP_UTF8, 0, text.at, length, nullptr, 0) : 0;
  auto* to = static_cast<wchar_t*>(std::calloc(wide + 2, sizeof(wchar_t)));
  if (!to) std::abort();
  if (wide) MultiByteToWideChar(CP_UTF8, 0, text.at, length, to, wide);
  return to;
}

Failure open_ends(Command* command, Parts* parts) {
  HANDLE* ends = parts->ends;
  SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, nullptr, TRUE};
  if (command->request.stdin_fd == VT_STDIN_PIPE)
    ends[0] = open_input(&command->input);
  else
    ends[0] = CreateFileW(L"NUL", GENERIC_READ, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable, OPEN_EXISTING, 0,
                          nullptr);
  if (!ends[0] || ends[0] == INVALID_HANDLE_VALUE) return failed("pipes");
  if (!(ends[1] = open_output(&command->outputs[0]))) return failed("pipes");
  ends[2] = command->request.merged ? ends[1] : open_output(&command->outputs[1]);
  return ends[2] ? kNone : failed("pipes");
}

// The command inherits only its standard handles. PROC_THREAD_ATTRIBUTE_HANDLE_LIST takes no duplicates.
Failure list_handles(Parts* parts) {
  SIZE_T size = 0;
  InitializeProcThreadAttributeList(nullptr, 1, 0, &size);
  auto* list = static_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(std::malloc(size));
  if (!list) std::abort();
  if (!InitializeProcThreadAttributeList(list, 1, 0, &size)) {
    Failure failure = failed("pipes");
    std::free(list);
    return failure;
  }
  parts->attributes = list;
  SIZE_T count = parts->ends[2] == parts->ends[1] ? 2 : 3;
  if (!UpdateProcThreadAttribute(list, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, parts->ends, count * sizeof(HANDLE),
                                 nullptr, nullptr))
    return failed("pipes");
  return kNone;
}

// A job that kills its processes when its last handle closes, thus also when this process is killed.
// NULL with GetLastError.
HANDLE enter_job(HANDLE process, bool ui_limits) {
  HANDLE job = CreateJobObjectW(nullptr, nullptr);
  if (!job) return nullptr;
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  limits.BasicLimitInformation.LimitFlags =
      JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
  // Not covered by integrity: clipboard, display settings, global atoms, ending the session.
  JOBOBJECT_BASIC_UI_RESTRICTIONS restrictions = {
      JOB_OBJECT_UILIMIT_HANDLES | JOB_OBJECT_UILIMIT_READCLIPBOARD | JOB_OBJECT_UILIMIT_WRITECLIPBOARD |
      JOB_OBJECT_UILIMIT_SYSTEMPARAMETERS | JOB_OBJECT_UILIMIT_DISPLAYSETTINGS | JOB_OBJECT_UILIMIT_GLOBALATOMS |
      JOB_OBJECT_UILIMIT_DESKTOP | JOB_OBJECT_UILIMIT_EXITWINDOWS};
  if (SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits) &&
      (!ui_limits || SetInformationJobObject(job, JobObjectBasicUIRestrictions, &restrictions, sizeof restrictions)) &&
      AssignProcessToJobObject(job, process))
    return job;
  DWORD error = GetLastError();
  CloseHandle(job);
  SetLastError(error);
  return nullptr;
}

// A job with UI limits cannot be nested in another job (AssignProcessToJobObject): there the job has none, as the probe reports.
HANDLE enter_best_job(HANDLE process, bool confined) {
  HANDLE job = confined ? enter_job(process, true) : nullptr;
  return job ? job : enter_job(process, false);
}

bool create(const wchar_t* program, Parts* parts) {
  constexpr DWORD kFlags =
      CREATE_SUSPENDED | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT | CREATE_NO_WINDOW;
  STARTUPINFOEXW startup = {};
  startup.StartupInfo.cb = sizeof startup;
  startup.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
  startup.StartupInfo.hStdInput = parts->ends[0];
  startup.StartupInfo.hStdOutput = parts->ends[1];
  startup.StartupInfo.hStdError = parts->ends[2];
  startup.lpAttributeList = parts->attributes;
  if (!parts->token)
    return CreateProcessW(program, parts->line, nullptr, nullptr, TRUE, kFlags, parts->environment, parts->directory,
                          &startup.StartupInfo, &parts->process);
  return CreateProcessAsUserW(parts->token, program, parts->line, nullptr, nullptr, TRUE, kFlags, parts->environment,
                              parts->directory, &startup.StartupInfo, &parts->process);
}

bool is_missing(DWORD error) { return error == ERROR_FILE_NOT_FOUND || error == ERROR_PATH_NOT_FOUND; }

// Runs the first candidate that exists; any other error than a missing file ends the search, similar to execvp(3).
Failure create_first(const vt_text& candidates, Parts* parts) {
  size_t at = 0;
  Failure failure = {"exec", ERROR_FILE_NOT_FOUND};
  while (at < candidates.length) {
    vt_text candidate = {candidates.at + at, 0};
    while (at < candidates.length && candidates.at[at]) at++, candidate.length++;
    at++;
    wchar_t* program = widen(candidate);
    bool created = create(program, parts);
    failure = created ? kNone : failed("exec");
    std::free(program);
    if (created || !is_missing(failure.error)) return failure;
  }
  return failure;
}

// Puts the suspended process into its job and checks its integrity, before its first instruction.
Failure hold(Command* command, HANDLE process) {
  command->job = enter_best_job(process, command->request.confined);
  if (!command->job) return failed("job");
  if (!command->request.confined) return kNone;
  Integrity integrity;
  if (!integrity_of(process, &integrity)) return failed("token");
  return is_held(integrity) ? kNone : Failure{"integrity", integrity.level};
}

Failure create_held(Command* command, Parts* parts) {
  if (command->request.confined && !(parts->token = low_integrity_token())) return failed("token");
  Failure failure = open_ends(command, parts);
  if (!failure.step) failure = list_handles(parts);
  if (!failure.step) failure = create_first(command->request.candidates, parts);
  if (failure.step) return failure;
  failure = hold(command, parts->process.hProcess);
  if (!failure.step && ResumeThread(parts->process.hThread) == static_cast<DWORD>(-1)) failure = failed("resume");
  if (failure.step) TerminateProcess(parts->process.hProcess, 1);
  return failure;
}

void close_if_open(HANDLE handle) {
  if (handle && handle != INVALID_HANDLE_VALUE) CloseHandle(handle);
}

void let_go(Parts* parts) {
  close_if_open(parts->token);
  close_if_open(parts->ends[0]);
  close_if_open(parts->ends[1]);
  if (parts->ends[2] != parts->ends[1]) close_if_open(parts->ends[2]);
  close_if_open(parts->process.hThread);
  if (parts->attributes) DeleteProcThreadAttributeList(parts->attributes);
  std::free(parts->attributes);
  std::free(parts->line);
  std::free(parts->environment);
  std::free(parts->directory);
}

}  // namespace

Failure start(Command* command) {
  const vt_request& request = command->request;
  Parts parts = {};
  parts.line = widen(request.argv);
  parts.environment = widen(request.environment);
  parts.directory = widen(request.directory);
  Failure failure = create_held(command, &parts);
  if (failure.step)
    close_if_open(parts.process.hProcess);
  else
    command->process = parts.process.hProcess;
  command->pid = parts.process.dwProcessId;
  let_go(&parts);
  return failure;
}

DWORD try_low_integrity(Integrity* integrity, bool* ui_limits) {
  wchar_t program[MAX_PATH];
  DWORD length = GetModuleFileNameW(nullptr, program, MAX_PATH);
  if (length == 0 || length == MAX_PATH) return ERROR_INSUFFICIENT_BUFFER;
  HANDLE token = low_integrity_token();
  if (!token) return GetLastError();
  STARTUPINFOW startup = {};
  startup.cb = sizeof startup;
  PROCESS_INFORMATION process = {};
  bool read = CreateProcessAsUserW(token, program, nullptr, nullptr, nullptr, FALSE, CREATE_SUSPENDED | CREATE_NO_WINDOW,
                                   nullptr, nullptr, &startup, &process) &&
              integrity_of(process.hProcess, integrity);
  DWORD error = read ? 0 : GetLastError();
  if (process.hProcess) {
    HANDLE job = enter_job(process.hProcess, true);
    *ui_limits = job;
    close_if_open(job);
    TerminateProcess(process.hProcess, 0);
    CloseHandle(process.hThread);
    CloseHandle(process.hProcess);
  }
  CloseHandle(token);
  return error;
}

}  // namespace vt
