// The Node-API face of the core: the only file that includes napi.h. JavaScript validates, this trusts.
#include <napi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#ifdef __linux__
#include <unistd.h>
#endif

extern "C" {
#include "core.h"
#include "lock.h"
}

namespace {

// One JavaScript environment (the main thread's or a worker's). Lives until its last command has been freed.
struct Environment {
  vt_owner owner;  // first: the core knows us by it
  vt_lock lock = VT_LOCK_INIT;
  bool alive = true;
  int references = 1;  // the environment's own, one per command, one per order
  napi_threadsafe_function deliver = nullptr;
  int running = 0;  // JavaScript thread only
};

// What travels from the supervisor thread to JavaScript; output bytes follow in the same block.
struct Event {
  uint32_t id;
  int stream;  // 0 and above: output; else kEnd, kWritten, kStarted
  size_t length;
  vt_end end;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

constexpr int kEnd = -1, kWritten = -2, kStarted = -3;

// Holds the lock until the block ends.
struct Guard {
  explicit Guard(vt_lock* lock) : lock(lock) { vt_lock_take(lock); }
  ~Guard() { vt_lock_give(lock); }
  vt_lock* lock;
};

Environment* environment_of(vt_owner* owner) { return reinterpret_cast<Environment*>(owner); }

void retain(Environment* environment) {
  Guard guard(&environment->lock);
  environment->references++;
}

void release(Environment* environment) {
  bool last;
  {
    Guard guard(&environment->lock);
    last = --environment->references == 0;
  }
  if (last) delete environment;
}

void discard(Event* event) {
  if (event->stream == kEnd) vt_core_free_denials(event->end.denials);
  std::free(event);
}

// Under the lock, so that the function cannot go away while it is called.
void send(Environment* environment, Event* event) {
  Guard guard(&environment->lock);
  if (environment->alive &&
      napi_call_threadsafe_function(environment->deliver, event, napi_tsfn_nonblocking) == napi_ok)
    return;
  environment->alive = false;  // closing: after this answer the function may be gone
  discard(event);
}

Event* make_event(uint32_t id, int stream, size_t length) {
  auto* event = static_cast<Event*>(std::malloc(sizeof(Event) + length));
  if (!event) std::abort();  // dropping output is not an option
  event->id = id;
  event->stream = stream;
  event->length = length;
  return event;
}

void on_output(vt_owner* owner, uint32_t id, int stream, const char* bytes, size_t length) {
  Event* event = make_event(id, stream, length);
  std::memcpy(event->bytes(), bytes, length);
  send(environment_of(owner), event);
}

void on_end(vt_owner* owner, uint32_t id, const vt_end* end) {
  Event* event = make_event(id, kEnd, 0);
  event->end = *end;
  send(environment_of(owner), event);
}

// `length` tells of bytes that have gone, and none follow.
void on_written(vt_owner* owner, uint32_t id, size_t length) {
  Event* event = make_event(id, kWritten, 0);
  event->length = length;
  send(environment_of(owner), event);
}

void on_started(vt_owner* owner, uint32_t id) { send(environment_of(owner), make_event(id, kStarted, 0)); }

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

Napi::Object describe_denial(Napi::Env env, const vt_refused& denial) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "operation", denial.operation);
  if (denial.text) set_text(object, denial.is_path ? "path" : "address", denial.text);
  set_text(object, "syscall", denial.call);
  set_number(object, "pid", denial.pid);
  set_text(object, "program", denial.program);
  set_number(object, "count", static_cast<double>(denial.count));
  return object;
}

Napi::Array describe_denials(Napi::Env env, const vt_denials* denials) {
  Napi::Array array = Napi::Array::New(env);
  vt_refused denial;
  for (int row = 0; vt_core_denial(denials, row, &denial); row++)
    array.Set(static_cast<uint32_t>(row), describe_denial(env, denial));
  return array;
}

Napi::Value describe_end(Napi::Env env, const vt_end& end) {
  Napi::Object object = Napi::Object::New(env);
  if (end.failed_step) {
    set_text(object, "failedStep", vt_core_step_name(end.failed_step));
    set_number(object, "errno", end.failed_errno);
    return object;
  }
  set_number(object, "code", static_cast<double>(end.code));
  set_number(object, "signal", end.signal);
  set_number(object, "killed", end.killed);
  set_number(object, "alive", end.alive);
  set_number(object, "group", end.group);
  if (end.unsearched) set_flag(object, "unsearched", true);
  if (end.limited) set_text(object, "limited", end.limited);
  set_value(object, "denials", describe_denials(env, end.denials));
  return object;
}

// What goes with an event.
napi_value payload_of(napi_env raw, Environment* environment, Event* event) {
  if (event->stream == kWritten || event->stream == kStarted) return Napi::Number::New(raw, static_cast<double>(event->length));
  if (event->stream == kEnd) {
    if (--environment->running == 0) napi_unref_threadsafe_function(raw, environment->deliver);
    return describe_end(raw, event->end);
  }
  napi_value chunk;
  napi_create_buffer_copy(raw, event->length, event->bytes(), nullptr, &chunk);
  return chunk;
}

// Runs on the JavaScript thread: handler(id, stream, chunk), handler(id, -1, end), handler(id, -2, bytes written) or
// handler(id, -3, 0) when a command with a terminal runs.
void deliver(napi_env raw, napi_value handler, void* context, void* data) {
  auto* event = static_cast<Event*>(data);
  auto* environment = static_cast<Environment*>(context);
  if (raw && handler) {
    Napi::Env env(raw);
    Napi::HandleScope scope(env);
    napi_value arguments[] = {Napi::Number::New(env, event->id), Napi::Number::New(env, event->stream),
                              payload_of(raw, environment, event)};
    napi_value undefined = env.Undefined(), result;
    napi_call_function(raw, undefined, handler, 3, arguments, &result);
    bool threw = false;  // a worker that is being terminated fails the call, but has thrown nothing
    if (napi_is_exception_pending(raw, &threw) == napi_ok && threw) {
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
    Guard guard(&environment->lock);
    environment->alive = false;
    environment->references++;  // the order's
  }
  vt_core_kill_all_of(&environment->owner);
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

// The order of spawn's text arguments; each is one string of NUL-separated items.
enum Text { kCandidates, kArguments, kEnvironment, kDirectory, kPlaces, kTexts };

// Copies all texts into one block that the core owns.
void take_texts(Napi::Env env, const Napi::CallbackInfo& info, vt_text texts[kTexts]) {
  size_t total = 0;
  for (int text = 0; text < kTexts; text++) total += copy_text(env, info[text], nullptr) + 1;
  auto* block = static_cast<char*>(std::malloc(total));
  if (!block) std::abort();
  for (int text = 0; text < kTexts; text++) {
    texts[text] = {block, copy_text(env, info[text], block)};
    block += texts[text].length + 1;
  }
}

uint32_t next_id() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

// A Float64Array in the order of struct vt_limits; undefined: no limits.
vt_limits take_limits(Napi::Value value) {
  if (!value.IsTypedArray()) return {};
  const auto numbers = value.As<Napi::Float64Array>();
  const auto at = [&numbers](size_t index) { return static_cast<uint64_t>(numbers[index]); };
  return {at(0), at(1), at(2), at(3), at(4)};
}

// columns * 65536 + rows of a terminal; undefined: none.
void take_size(Napi::Value value, vt_request* request) {
  if (!value.IsNumber()) return;
  const uint32_t size = value.As<Napi::Number>().Uint32Value();
  request->columns = static_cast<uint16_t>(size >> 16);
  request->rows = static_cast<uint16_t>(size);
}

enum Flag { kMerged = 1, kConfined = 2, kNetwork = 4, kListener = 8, kReport = 16 };

vt_request take_request(const Napi::CallbackInfo& info) {
  vt_text texts[kTexts];
  take_texts(info.Env(), info, texts);
  int flags = info[kTexts + 1].As<Napi::Number>().Int32Value();
  vt_request request{};
  request.id = next_id();
  request.owner = &current(info)->owner;
  request.candidates = texts[kCandidates];
  request.argv = texts[kArguments];
  request.environment = texts[kEnvironment];
  request.directory = texts[kDirectory];
  request.places = texts[kPlaces];
  request.stdin_fd = info[kTexts].As<Napi::Number>().Int32Value();
  request.merged = flags & kMerged;
  request.confined = flags & kConfined;
  request.network = flags & kNetwork;
  request.listener = flags & kListener;
  request.report = flags & kReport;
  request.abi = info[kTexts + 2].As<Napi::Number>().Int32Value();
  request.limits = take_limits(info[kTexts + 3]);
  take_size(info[kTexts + 4], &request);
  return request;
}

// spawn(candidates, argv, environment, cwd, places, stdin, flags, abi, limits?, terminal?) -> { id, stdin } | { failedStep, errno }
Napi::Value spawn(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  vt_request request = take_request(info);
  vt_started started;
  retain(environment);  // before the core has it: another thread may release it before this one goes on
  vt_core_spawn(&request, &started);
  Napi::Object object = Napi::Object::New(env);
  if (started.failed_step) {
    release(environment);
    set_text(object, "failedStep", vt_core_step_name(started.failed_step));
    set_number(object, "errno", started.failed_errno);
    return object;
  }
  if (environment->running++ == 0) napi_ref_threadsafe_function(env, environment->deliver);
  set_number(object, "id", request.id);
  set_number(object, "stdin", started.stdin_fd);
  return object;
}

uint32_t id_of(const Napi::CallbackInfo& info) { return info[0].As<Napi::Number>().Uint32Value(); }

void terminate(const Napi::CallbackInfo& info) { vt_core_terminate(id_of(info)); }
void kill_all(const Napi::CallbackInfo& info) { vt_core_kill(id_of(info)); }
void signal_group(const Napi::CallbackInfo& info) {
  vt_core_signal(id_of(info), info[1].As<Napi::Number>().Int32Value());
}
void consumed(const Napi::CallbackInfo& info) {
  vt_core_consumed(id_of(info), static_cast<size_t>(info[1].As<Napi::Number>().Int64Value()));
}

Napi::Object& object_of(void* to) { return *static_cast<Napi::Object*>(to); }

// probe() -> what the system offers
Napi::Value probe(const Napi::CallbackInfo& info) {
  Napi::Object object = Napi::Object::New(info.Env());
  const vt_facts facts = {
      &object,
      [](void* to, const char* name, double value) { set_number(object_of(to), name, value); },
      [](void* to, const char* name, bool value) { set_flag(object_of(to), name, value); },
      [](void* to, const char* name, const char* value) { set_text(object_of(to), name, value); },
  };
  vt_core_probe(&facts);
  return object;
}

// watch() -> errno of starting the watcher, 0 when it runs
Napi::Value watch(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), vt_core_watch()); }
Napi::Value watcher_pid(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), vt_core_watcher_pid()); }

#ifdef __linux__
// What keeps a private directory: an open descriptor, closed with the JavaScript environment at the latest.
struct Keeper {
  int lock;
};

void close_keeper(napi_env, void* data, void*) {
  auto* keeper = static_cast<Keeper*>(data);
  if (keeper->lock >= 0) close(keeper->lock);
  delete keeper;
}

std::string text_of(const Napi::CallbackInfo& info, size_t index) { return info[index].As<Napi::String>().Utf8Value(); }

// makePrivate(temporary) -> { path, keeper } | { failedStep, errno }
Napi::Value make_private(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  vt_private made;
  vt_core_make_private(text_of(info, 0).c_str(), &made);
  Napi::Object object = Napi::Object::New(env);
  if (made.failed_step) {
    set_text(object, "failedStep", vt_core_private_step_name(made.failed_step));
    set_number(object, "errno", made.failed_errno);
    return object;
  }
  napi_value keeper;
  napi_create_external(env, new Keeper{made.lock}, close_keeper, nullptr, &keeper);
  set_text(object, "path", made.path);
  set_value(object, "keeper", keeper);
  return object;
}

// A call that blocks, made on a thread of libuv's; its promise gives the errno.
struct Blocking {
  int lock = -1;            // to remove
  std::string temporary;    // to sweep
  int error = 0;
  napi_deferred promise = nullptr;
  napi_async_work work = nullptr;
};

void run_blocking(napi_env, void* data) {
  auto* blocking = static_cast<Blocking*>(data);
  blocking->error = blocking->lock >= 0 ? vt_core_remove_private(blocking->lock)
                                        : vt_core_sweep_private(blocking->temporary.c_str());
}

void settle_blocking(napi_env raw, napi_status status, void* data) {
  auto* blocking = static_cast<Blocking*>(data);
  Napi::HandleScope scope(raw);
  // Cancelled: the environment ends, and whoever sweeps next finds the directory.
  if (status == napi_cancelled && blocking->lock >= 0) close(blocking->lock);
  napi_resolve_deferred(raw, blocking->promise, Napi::Number::New(raw, blocking->error));
  napi_delete_async_work(raw, blocking->work);
  delete blocking;
}

Napi::Value start_blocking(Napi::Env env, Blocking* blocking) {
  napi_value promise;
  napi_create_promise(env, &blocking->promise, &promise);
  napi_create_async_work(env, nullptr, Napi::String::New(env, "vitrine"), run_blocking, settle_blocking, blocking,
                         &blocking->work);
  napi_queue_async_work(env, blocking->work);
  return Napi::Value(env, promise);
}

// removePrivate(keeper) -> an errno, or a promise of one; 0 when it is gone
Napi::Value remove_private(const Napi::CallbackInfo& info) {
  void* data = nullptr;
  napi_get_value_external(info.Env(), info[0], &data);
  auto* keeper = static_cast<Keeper*>(data);
  if (vt_core_remove_empty_private(keeper->lock)) {
    keeper->lock = -1;
    return Napi::Number::New(info.Env(), 0);
  }
  auto* blocking = new Blocking();
  blocking->lock = keeper->lock;
  keeper->lock = -1;
  return start_blocking(info.Env(), blocking);
}

// sweepPrivate(temporary) -> promise of an errno
Napi::Value sweep_private(const Napi::CallbackInfo& info) {
  auto* blocking = new Blocking();
  blocking->temporary = text_of(info, 0);
  return start_blocking(info.Env(), blocking);
}

// resize(id, columns, rows)
void resize(const Napi::CallbackInfo& info) {
  vt_core_resize(id_of(info), static_cast<uint16_t>(info[1].As<Napi::Number>().Uint32Value()),
                 static_cast<uint16_t>(info[2].As<Napi::Number>().Uint32Value()));
}

// lock(fd) -> 0 or an errno
Napi::Value lock(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), vt_core_lock(info[0].As<Napi::Number>().Int32Value()));
}
#endif

#ifdef _WIN32
// write(id, bytes): handler(id, -2, length) follows once they have gone.
void write(const Napi::CallbackInfo& info) {
  void* bytes = nullptr;
  size_t length = 0;
  napi_get_typedarray_info(info.Env(), info[1], nullptr, &length, &bytes, nullptr, nullptr);
  vt_core_write(id_of(info), static_cast<const char*>(bytes), length);
}
void close_stdin(const Napi::CallbackInfo& info) { vt_core_close_stdin(id_of(info)); }
#endif

#ifdef VITRINE_OVERRIDE
void accept_integrity(const Napi::CallbackInfo& info) {
  vt_core_accept_integrity(info[0].As<Napi::Number>().Uint32Value());
}
#endif

Napi::Object initialize(Napi::Env env, Napi::Object exports) {
  auto* environment = new Environment();
  environment->owner = {on_output, on_end, on_release, on_written, on_started};
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
#ifdef __linux__
  exports.Set("makePrivate", Napi::Function::New(env, make_private));
  exports.Set("removePrivate", Napi::Function::New(env, remove_private));
  exports.Set("sweepPrivate", Napi::Function::New(env, sweep_private));
  exports.Set("resize", Napi::Function::New(env, resize));
  exports.Set("lock", Napi::Function::New(env, lock));
#endif
#ifdef _WIN32
  exports.Set("write", Napi::Function::New(env, write));
  exports.Set("closeStdin", Napi::Function::New(env, close_stdin));
#endif
#ifdef VITRINE_OVERRIDE
  exports.Set("acceptIntegrity", Napi::Function::New(env, accept_integrity));
#endif
  return exports;
}

}  // namespace

NODE_API_MODULE(vitrine, initialize)
