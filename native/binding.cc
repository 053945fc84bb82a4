// The Node-API face of the core: the only file that includes napi.h. JavaScript validates, this trusts.
#include <napi.h>
#include <unistd.h>
#include <fcntl.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

extern "C" {
#include "linux/command.h"
#include "linux/denials.h"
#include "linux/launcher.h"
#include "linux/policy.h"
#include "linux/probe.h"
#include "linux/supervisor.h"
#include "linux/watch.h"
}

namespace {

// One JavaScript environment (the main thread's or a worker's). Lives until its last command has been freed.
struct Environment {
  vt_owner owner;  // first: the core knows us by it
  std::mutex lock;
  bool alive = true;
  int references = 1;  // the environment's own, one per command, one per order
  napi_threadsafe_function deliver = nullptr;
  int running = 0;  // JavaScript thread only
};

// What travels from the supervisor thread to JavaScript; output bytes follow in the same block.
struct Event {
  uint32_t id;
  int stream;  // -1: the end
  size_t length;
  vt_end end;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

constexpr int kPipe = -2;

Environment* environment_of(vt_owner* owner) { return reinterpret_cast<Environment*>(owner); }

void retain(Environment* environment) {
  std::lock_guard<std::mutex> guard(environment->lock);
  environment->references++;
}

void release(Environment* environment) {
  bool last;
  {
    std::lock_guard<std::mutex> guard(environment->lock);
    last = --environment->references == 0;
  }
  if (last) delete environment;
}

void discard(Event* event) {
  if (event->stream < 0) vt_denials_free(event->end.denials);
  std::free(event);
}

// Under the lock, so that the function cannot go away while it is called.
void send(Environment* environment, Event* event) {
  std::lock_guard<std::mutex> guard(environment->lock);
  if (environment->alive &&
      napi_call_threadsafe_function(environment->deliver, event, napi_tsfn_nonblocking) == napi_ok)
    return;
  environment->alive = false;  // closing: after this answer the function may be gone
  discard(event);
}

void on_output(vt_owner* owner, uint32_t id, int stream, const char* bytes, size_t length) {
  auto* event = static_cast<Event*>(std::malloc(sizeof(Event) + length));
  if (!event) std::abort();  // dropping output is not an option
  event->id = id;
  event->stream = stream;
  event->length = length;
  std::memcpy(event->bytes(), bytes, length);
  send(environment_of(owner), event);
}

void on_end(vt_owner* owner, uint32_t id, const vt_end* end) {
  auto* event = static_cast<Event*>(std::malloc(sizeof(Event)));
  if (!event) std::abort();
  event->id = id;
  event->stream = -1;
  event->length = 0;
  event->end = *end;
  send(environment_of(owner), event);
}

void on_release(vt_owner* owner) { release(environment_of(owner)); }

void set_value(Napi::Object object, const char* key, napi_value value) {
  napi_set_named_property(object.Env(), object, key, value);
}
void set_number(Napi::Object object, const char* key, double value) {
  set_value(object, key, Napi::Number::New(object.Env(), value));
}
void set_flag(Napi::Object object, const char* key, bool value) {
  set_value(object, key, Napi::Boolean::New(object.Env(), value));
}
void set_text(Napi::Object object, const char* key, const char* value) {
  set_value(object, key, Napi::String::New(object.Env(), value));
}

Napi::Object describe_denial(Napi::Env env, const vt_denial& denial) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "operation", vt_operation_name(denial.operation));
  if (denial.text) set_text(object, denial.is_path ? "path" : "address", denial.text);
  set_text(object, "syscall", denial.call == VT_SYSCALL_COUNT ? "various" : vt_syscall_name(denial.call));
  set_number(object, "pid", denial.pid);
  set_text(object, "program", denial.call == VT_SYSCALL_COUNT ? "various" : denial.program);
  set_number(object, "count", static_cast<double>(denial.count));
  return object;
}

Napi::Array describe_denials(Napi::Env env, const vt_denials* denials) {
  Napi::Array array = Napi::Array::New(env);
  for (int row = 0; denials && row < denials->count; row++)
    array.Set(static_cast<uint32_t>(row), describe_denial(env, denials->rows[row]));
  return array;
}

Napi::Value describe_end(Napi::Env env, const vt_end& end) {
  Napi::Object object = Napi::Object::New(env);
  if (end.failed_step != VT_STEP_NONE) {
    set_text(object, "failedStep", vt_step_name(end.failed_step));
    set_number(object, "errno", end.failed_errno);
    return object;
  }
  set_number(object, "code", end.code);
  set_number(object, "signal", end.signal);
  set_number(object, "killed", end.killed);
  set_number(object, "alive", end.alive);
  set_number(object, "group", end.group);
  set_value(object, "denials", describe_denials(env, end.denials));
  return object;
}

// Runs on the JavaScript thread: handler(id, stream, chunk) or handler(id, -1, end).
void deliver(napi_env raw, napi_value handler, void* context, void* data) {
  auto* event = static_cast<Event*>(data);
  auto* environment = static_cast<Environment*>(context);
  if (raw && handler) {
    Napi::Env env(raw);
    Napi::HandleScope scope(env);
    napi_value payload;
    if (event->stream < 0) {
      payload = describe_end(env, event->end);
      if (--environment->running == 0) napi_unref_threadsafe_function(raw, environment->deliver);
    } else {
      napi_create_buffer_copy(raw, event->length, event->bytes(), nullptr, &payload);
    }
    napi_value arguments[] = {Napi::Number::New(env, event->id), Napi::Number::New(env, event->stream), payload};
    napi_value undefined = env.Undefined(), result;
    if (napi_call_function(raw, undefined, handler, 3, arguments, &result) == napi_pending_exception) {
      napi_value error;
      napi_get_and_clear_last_exception(raw, &error);
      napi_fatal_exception(raw, error);
    }
  }
  discard(event);
}

// Worker exit, or the end of the process: nothing may be delivered any more, and what runs is killed.
void close_environment(void* data) {
  auto* environment = static_cast<Environment*>(data);
  {
    std::lock_guard<std::mutex> guard(environment->lock);
    environment->alive = false;
    environment->references++;  // the order's
  }
  vt_supervisor_kill_all_of(&environment->owner);
  release(environment);
}

Environment* current(const Napi::CallbackInfo& info) {
  void* data = nullptr;
  napi_get_instance_data(info.Env(), &data);
  return static_cast<Environment*>(data);
}

// listen(handler): once per environment, before the first spawn.
Napi::Value listen(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  napi_create_threadsafe_function(env, info[0], nullptr, Napi::String::New(env, "vitrine"), 0, 1, nullptr, nullptr,
                                  environment, deliver, &environment->deliver);
  napi_unref_threadsafe_function(env, environment->deliver);
  return env.Undefined();
}

// The UTF-8 text of a string, or the bytes of a Uint8Array, appended at `at`; returns the length. With `to` null: only the length.
size_t copy_text(Napi::Env env, napi_value value, char* to) {
  size_t length = 0;
  napi_valuetype type;
  napi_typeof(env, value, &type);
  if (type == napi_string) {
    napi_get_value_string_utf8(env, value, nullptr, 0, &length);
    if (to) napi_get_value_string_utf8(env, value, to, length + 1, &length);
    return length;
  }
  void* bytes = nullptr;
  napi_get_typedarray_info(env, value, nullptr, &length, &bytes, nullptr, nullptr);
  if (to) std::memcpy(to, bytes, length);
  if (to) to[length] = 0;
  return length;
}

// Splits `length` bytes of NUL-separated items into a NULL-terminated vector, with room for one more item.
char** split(char* text, size_t length) {
  size_t count = length > 0;
  for (size_t at = 0; at < length; at++) count += text[at] == 0;
  auto** items = static_cast<char**>(std::calloc(count + 2, sizeof(char*)));
  if (!items) std::abort();
  char* at = text;
  for (size_t item = 0; item < count; item++, at += std::strlen(at) + 1) items[item] = at;
  return items;
}

// First, where a reader of /proc/PID/environ finds it at once.
void prepend(char** items, char* item) {
  size_t count = 0;
  while (items[count]) count++;
  std::memmove(items + 1, items, count * sizeof *items);
  items[0] = item;
}

// The order of spawn's text arguments; each is one string of NUL-separated items.
enum Text { kCandidates, kArguments, kEnvironment, kDirectory, kWritable, kTexts };

// Copies all texts into one block that the command owns.
void take_texts(Napi::Env env, const Napi::CallbackInfo& info, char* texts[kTexts], size_t lengths[kTexts]) {
  size_t total = 0;
  for (int text = 0; text < kTexts; text++) total += copy_text(env, info[text], nullptr) + 1;
  auto* block = static_cast<char*>(std::malloc(total));
  if (!block) std::abort();
  for (int text = 0; text < kTexts; text++) {
    texts[text] = block;
    lengths[text] = copy_text(env, info[text], block);
    block += lengths[text] + 1;
  }
}

uint32_t next_id() {
  static uint32_t last;
  return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

// Found in /proc/PID/environ of a child that left the session; random enough that nobody else carries it.
void make_cookie(vt_command* command) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  std::snprintf(command->cookie, sizeof command->cookie, "VITRINE_COMMAND=%x-%x-%lx%08lx", static_cast<unsigned>(getpid()),
                static_cast<unsigned>(command->id), static_cast<unsigned long>(now.tv_sec),
                static_cast<unsigned long>(now.tv_nsec));
}

Napi::Value failure(Napi::Env env, enum vt_step step, int error) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "failedStep", vt_step_name(step));
  set_number(object, "errno", error);
  return object;
}

// Opens the command's standard input as a pipe; returns our end.
int open_stdin(vt_command* command) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return -1;
  command->stdin_fd = ends[0];
  command->owns_stdin = true;
  return ends[1];
}

enum Flag { kMerged = 1, kConfined = 2, kNetwork = 4, kListener = 8, kReport = 16 };

// spawn(candidates, argv, environment, cwd, writable, stdin, flags, abi) -> { id, stdin } | { failedStep, errno }
Napi::Value spawn(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  char* texts[kTexts];
  size_t lengths[kTexts];
  take_texts(env, info, texts, lengths);
  auto* command = static_cast<vt_command*>(std::calloc(1, sizeof(vt_command)));
  if (!command) std::abort();
  int flags = info[kTexts + 1].As<Napi::Number>().Int32Value();
  command->strings = texts[0];
  command->candidates = split(texts[kCandidates], lengths[kCandidates]);
  command->argv = split(texts[kArguments], lengths[kArguments]);
  command->envp = split(texts[kEnvironment], lengths[kEnvironment]);
  command->cwd = texts[kDirectory];
  command->merged = flags & kMerged;
  command->id = next_id();
  command->owner = &environment->owner;
  command->pidfd = command->listener = command->write_ends[0] = command->write_ends[1] = -1;
  command->stdin_fd = info[kTexts].As<Napi::Number>().Int32Value();

  int step = VT_STEP_PIPES, stdin_write = -1;
  if (flags & kConfined) {
    char** writable = split(texts[kWritable], lengths[kWritable]);
    vt_policy_options options = {info[kTexts + 2].As<Napi::Number>().Int32Value(), (flags & kNetwork) != 0,
                                 (flags & kListener) != 0, (flags & kReport) != 0, command->cwd, const_cast<const char* const*>(writable)};
    command->policy = vt_policy_take(&options, &step);
    std::free(writable);
  } else {
    make_cookie(command);
    prepend(command->envp, command->cookie);
  }
  bool ready = command->policy || !(flags & kConfined);
  if (ready && command->stdin_fd == kPipe) ready = (stdin_write = open_stdin(command)) >= 0;
  if (!ready) {
    int error = errno;
    if (command->policy) vt_policy_release(command->policy);
    std::free(command->strings);
    std::free(command->candidates);
    std::free(command->argv);
    std::free(command->envp);
    std::free(command);
    return failure(env, static_cast<vt_step>(step), error);
  }
  retain(environment);
  if (environment->running++ == 0) napi_ref_threadsafe_function(env, environment->deliver);
  Napi::Object object = Napi::Object::New(env);
  set_number(object, "id", command->id);
  set_number(object, "stdin", stdin_write);
  vt_supervisor_add(command);
  vt_launcher_queue(command);
  return object;
}

uint32_t id_of(const Napi::CallbackInfo& info) { return info[0].As<Napi::Number>().Uint32Value(); }

void terminate(const Napi::CallbackInfo& info) { vt_supervisor_terminate(id_of(info)); }
void kill_all(const Napi::CallbackInfo& info) { vt_supervisor_kill(id_of(info)); }
void signal_group(const Napi::CallbackInfo& info) {
  vt_supervisor_signal(id_of(info), info[1].As<Napi::Number>().Int32Value());
}
void consumed(const Napi::CallbackInfo& info) {
  vt_supervisor_consumed(id_of(info), static_cast<size_t>(info[1].As<Napi::Number>().Int64Value()));
}

// probe() -> what the kernel offers
Napi::Value probe(const Napi::CallbackInfo& info) {
  const vt_probe_result* found = vt_probe();
  Napi::Object object = Napi::Object::New(info.Env());
  set_number(object, "landlockAbi", found->landlock_abi);
  set_number(object, "landlockErrno", found->landlock_errno);
  set_number(object, "landlockErrata", found->landlock_errata);
  set_flag(object, "seccomp", found->seccomp);
  set_number(object, "seccompErrno", found->seccomp_errno);
  set_flag(object, "listener", found->listener);
  set_number(object, "listenerErrno", found->listener_errno);
  set_flag(object, "listenerProves", found->listener_proves);
  set_flag(object, "pidfd", found->pidfd);
  set_number(object, "yama", found->yama);
  return object;
}

// watch() -> errno of starting the watcher, 0 when it runs
Napi::Value watch(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), vt_watch_start()); }
Napi::Value watcher_pid(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), vt_watch_pid()); }

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto* environment = new Environment();
  environment->owner = {on_output, on_end, on_release};
  napi_set_instance_data(env, environment, nullptr, nullptr);
  napi_add_env_cleanup_hook(env, close_environment, environment);
  exports.Set("listen", Napi::Function::New(env, listen));
  exports.Set("spawn", Napi::Function::New(env, spawn));
  exports.Set("terminate", Napi::Function::New(env, terminate));
  exports.Set("kill", Napi::Function::New(env, kill_all));
  exports.Set("signal", Napi::Function::New(env, signal_group));
  exports.Set("consumed", Napi::Function::New(env, consumed));
  exports.Set("probe", Napi::Function::New(env, probe));
  exports.Set("watch", Napi::Function::New(env, watch));
  exports.Set("watcherPid", Napi::Function::New(env, watcher_pid));
  return exports;
}

}  // namespace

NODE_API_MODULE(vitrine, initialize)
