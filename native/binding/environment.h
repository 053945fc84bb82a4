// Delivers the core's events to a JavaScript environment. binding.cc includes napi.h before this.
#pragma once

#include "values.h"

namespace {

// The handler of one running command.
struct Handler {
  uint32_t id;
  napi_ref function;
  Handler* next;
};

// One JavaScript environment (of the main thread or a worker). Lives until it is closed and its last command is freed.
struct Environment {
  vt_owner owner;  // first member: environment_of casts from it
  vt_lock lock = VT_LOCK_INIT;
  bool alive = true;
  int references = 1;  // of the environment itself, each command, and vt_core_kill_all_of
  napi_threadsafe_function deliver = nullptr;
  Handler* running = nullptr;  // JavaScript thread only
};

enum Kind { kOutput, kWritten, kStarted, kAsked, kListening, kEnd };
constexpr const char* kKindNames[] = {"output", "written", "started", "asked", "listening"};  // kEnd is described elsewhere

// An event from a thread of the core to JavaScript; its bytes follow in the same block.
struct Event {
  uint32_t id;
  Kind kind;
  int stream;  // kOutput: 0 or 1; kAsked: the number of the question
  size_t length;
  vt_end end;
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

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
  if (event->kind == kEnd) {
    vt_core_free_denials(event->end.denials);
    vt_core_free_notes(event->end.notes);
    std::free(event->end.open_ports);
  }
  std::free(event);
}

// Under the lock, so that the function is not freed during the call.
void send(Environment* environment, Event* event) {
  Guard guard(&environment->lock);
  if (environment->alive && napi_call_threadsafe_function(environment->deliver, event, napi_tsfn_nonblocking) == napi_ok) return;
  environment->alive = false;  // napi_closing: the function may be freed from now on
  discard(event);
}

Event* make_event(uint32_t id, Kind kind, size_t length) {
  auto* event = static_cast<Event*>(std::malloc(sizeof(Event) + length));
  if (!event) std::abort();  // dropping output is not an option
  event->id = id;
  event->kind = kind;
  event->length = length;
  return event;
}

void on_output(vt_owner* owner, uint32_t id, int stream, const char* bytes, size_t length) {
  Event* event = make_event(id, kOutput, length);
  event->stream = stream;
  std::memcpy(event->bytes(), bytes, length);
  send(environment_of(owner), event);
}

void on_end(vt_owner* owner, uint32_t id, const vt_end* end) {
  Event* event = make_event(id, kEnd, 0);
  event->end = *end;
  send(environment_of(owner), event);
}

void on_written(vt_owner* owner, uint32_t id, size_t length) {
  Event* event = make_event(id, kWritten, 0);
  event->length = length;
  send(environment_of(owner), event);
}

void on_started(vt_owner* owner, uint32_t id) { send(environment_of(owner), make_event(id, kStarted, 0)); }

[[maybe_unused]] void on_asked(vt_owner* owner, uint32_t id, size_t number, const char* path) {
  const size_t length = std::strlen(path);
  Event* event = make_event(id, kAsked, length);
  event->stream = static_cast<int>(number);
  std::memcpy(event->bytes(), path, length);
  send(environment_of(owner), event);
}

[[maybe_unused]] void on_listening(vt_owner* owner, uint32_t id, const vt_open_port* port) {
  Event* event = make_event(id, kListening, sizeof *port);
  std::memcpy(event->bytes(), port, sizeof *port);
  send(environment_of(owner), event);
}

void on_release(vt_owner* owner) { release(environment_of(owner)); }

// Makes the event of src/launch/addon.ts.
napi_value describe_event(Napi::Env env, Event* event) {
  if (event->kind == kEnd) return describe_end(env, event->end);
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "kind", kKindNames[event->kind]);
  if (event->kind == kAsked) {
    set_number(object, "number", event->stream);
    set_value(object, "path", Napi::String::New(env, event->bytes(), event->length));
  }
  if (event->kind == kListening) {
    vt_open_port port;  // the block is not aligned for one
    std::memcpy(&port, event->bytes(), sizeof port);
    set_value(object, "port", describe_open_port(env, port));
  }
  if (event->kind == kOutput) {
    set_text(object, "stream", event->stream == 0 ? "stdout" : "stderr");
    set_value(object, "bytes", bytes_of(env, event->bytes(), event->length));
  }
  return object;
}

// Returns the handler of an id, and forgets it if `last`. Once no handler is left, the event loop may end.
napi_value handler_of(napi_env raw, Environment* environment, uint32_t id, bool last) {
  napi_value function = nullptr;
  Handler** at = &environment->running;
  while (*at && (*at)->id != id) at = &(*at)->next;
  Handler* handler = *at;
  if (!handler) return nullptr;  // "written" after the end (Windows)
  napi_get_reference_value(raw, handler->function, &function);
  if (!last) return function;
  napi_delete_reference(raw, handler->function);
  *at = handler->next;
  delete handler;
  if (!environment->running) napi_unref_threadsafe_function(raw, environment->deliver);
  return function;
}

// Runs on the JavaScript thread.
void deliver(napi_env raw, napi_value, void* context, void* data) {
  auto* event = static_cast<Event*>(data);
  if (raw) {
    Napi::HandleScope scope(raw);
    const bool last = event->kind == kEnd;
    napi_value handler = handler_of(raw, static_cast<Environment*>(context), event->id, last);
    napi_value argument = describe_event(raw, event), undefined = Napi::Env(raw).Undefined(), result;
    if (handler) napi_call_function(raw, undefined, handler, 1, &argument, &result);
    bool threw = false;  // in a worker that is being terminated the call fails without an exception
    if (napi_is_exception_pending(raw, &threw) == napi_ok && threw) {
      napi_value error;
      napi_get_and_clear_last_exception(raw, &error);
      napi_fatal_exception(raw, error);
    }
  }
  discard(event);
}

// Before the core is called: its events may arrive before that returns.
void add_handler(napi_env raw, Environment* environment, uint32_t id, napi_value function) {
  if (!environment->deliver) {
    napi_create_threadsafe_function(raw, nullptr, nullptr, Napi::String::New(raw, "vitrine"), 0, 1, nullptr, nullptr,
                                    environment, deliver, &environment->deliver);
    napi_unref_threadsafe_function(raw, environment->deliver);
  }
  if (!environment->running) napi_ref_threadsafe_function(raw, environment->deliver);
  auto* handler = new Handler{id, nullptr, environment->running};
  napi_create_reference(raw, function, 1, &handler->function);
  environment->running = handler;
}

// On exit of the worker or process: stops delivery and kills the running commands.
void close_environment(void* data) {
  auto* environment = static_cast<Environment*>(data);
  {
    Guard guard(&environment->lock);
    environment->alive = false;
    environment->references++;  // for vt_core_kill_all_of
  }
  vt_core_kill_all_of(&environment->owner);
  release(environment);
}

Environment* current(const Napi::CallbackInfo& info) {
  void* data = nullptr;
  napi_get_instance_data(info.Env(), &data);
  return static_cast<Environment*>(data);
}

}  // namespace
