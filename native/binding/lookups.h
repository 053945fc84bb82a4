// Lookups (Linux), answered on threads of the core. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"
#include "request.h"

namespace {

// Runs on a thread of the core.
void on_looked(vt_owner* owner, const vt_looked* looked) {
  Event* event = make_event(0, kLooked, looked->length);
  event->callback = static_cast<napi_ref>(looked->ticket);
  std::memcpy(event->bytes(), looked->answers, looked->length);
  send(environment_of(owner), event);
}

// Forgets a finished lookup; the last one no longer keeps the event loop alive.
void settle(napi_env raw, Environment* environment, napi_ref callback) {
  napi_delete_reference(raw, callback);
  if (--environment->looking == 0) napi_unref_threadsafe_function(raw, environment->answer);
}

// Runs on the JavaScript thread: calls the callback given to look.
void answer(napi_env raw, napi_value, void* context, void* data) {
  auto* event = static_cast<Event*>(data);
  if (raw) {
    Napi::HandleScope scope(raw);
    napi_value callback, answers, result;
    napi_get_reference_value(raw, event->callback, &callback);
    settle(raw, static_cast<Environment*>(context), event->callback);
    napi_create_buffer_copy(raw, event->length, event->bytes(), nullptr, &answers);
    napi_call_function(raw, Napi::Env(raw).Undefined(), callback, 1, &answers, &result);
  }
  discard(event);
}

void listen_for_answers(Napi::Env env, Environment* environment) {
  if (environment->answer) return;
  napi_create_threadsafe_function(env, nullptr, nullptr, Napi::String::New(env, "vitrine"), 0, 1, nullptr, nullptr,
                                  environment, answer, &environment->answer);
  napi_unref_threadsafe_function(env, environment->answer);
}

// look(questions, callback) -> its id, or an errno below 0; callback(answers) once, unless it is given up.
Napi::Value look(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  listen_for_answers(env, environment);
  size_t length = 0;
  napi_get_value_string_utf8(env, info[0], nullptr, 0, &length);
  auto* questions = static_cast<char*>(take(length + 1));
  napi_get_value_string_utf8(env, info[0], questions, length + 1, nullptr);
  napi_ref callback;
  napi_create_reference(env, info[1], 1, &callback);
  const uint32_t id = next_id();
  retain(environment);
  const int error = vt_core_look(&environment->owner, id, callback, {questions, length});
  if (error == 0) {
    if (environment->looking++ == 0) napi_ref_threadsafe_function(env, environment->answer);
    return Napi::Number::New(env, id);
  }
  release(environment);
  napi_delete_reference(env, callback);
  std::free(questions);
  return Napi::Number::New(env, -error);
}

// giveUpLooking(id) -> the answers so far; undefined when the callback has been called, or is about to be
Napi::Value give_up_looking(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  vt_looked looked;
  if (!vt_core_give_up_looking(info[0].As<Napi::Number>().Uint32Value(), &looked)) return env.Undefined();
  settle(env, current(info), static_cast<napi_ref>(looked.ticket));
  napi_value answers;
  napi_create_buffer_copy(env, looked.length, looked.answers ? looked.answers : "", nullptr, &answers);
  std::free(const_cast<char*>(looked.answers));
  return Napi::Value(env, answers);
}

}  // namespace
