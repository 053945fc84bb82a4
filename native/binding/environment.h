// Delivers the core's events to a JavaScript environment. binding.cc includes napi.h before this.
#pragma once

#include "values.h"

namespace {

// One JavaScript environment (of the main thread or a worker). Lives until its last command is freed.
struct Environment {
  vt_owner owner;  // first member: environment_of casts from it
  vt_lock lock = VT_LOCK_INIT;
  bool alive = true;
  int references = 1;  // of the environment itself, each command and lookup, and vt_core_kill_all_of
  napi_threadsafe_function deliver = nullptr;
  napi_threadsafe_function answer = nullptr;  // for lookups
  int running = 0, looking = 0;  // JavaScript thread only
};

// An event from a thread of the core to JavaScript; its bytes follow in the same block.
struct Event {
  uint32_t id;
  int stream;  // 0 and above: output; else kEnd, kWritten, kStarted, kLooked
  size_t length;
  vt_end end;
  napi_ref callback;  // kLooked
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

constexpr int kEnd = -1, kWritten = -2, kStarted = -3, kLooked = -4;

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

// Under the lock, so that the function is not freed during the call.
void send(Environment* environment, Event* event) {
  Guard guard(&environment->lock);
  napi_threadsafe_function to = event->stream == kLooked ? environment->answer : environment->deliver;
  if (environment->alive && napi_call_threadsafe_function(to, event, napi_tsfn_nonblocking) == napi_ok) return;
  environment->alive = false;  // napi_closing: the function may be freed from now on
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

void on_written(vt_owner* owner, uint32_t id, size_t length) {
  Event* event = make_event(id, kWritten, 0);
  event->length = length;
  send(environment_of(owner), event);
}

void on_started(vt_owner* owner, uint32_t id) { send(environment_of(owner), make_event(id, kStarted, 0)); }

void on_release(vt_owner* owner) { release(environment_of(owner)); }

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
    bool threw = false;  // in a worker that is being terminated the call fails without an exception
    if (napi_is_exception_pending(raw, &threw) == napi_ok && threw) {
      napi_value error;
      napi_get_and_clear_last_exception(raw, &error);
      napi_fatal_exception(raw, error);
    }
  }
  discard(event);
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
