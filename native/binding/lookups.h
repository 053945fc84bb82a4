// Lookups (Linux), answered on threads of the core. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"
#include "request.h"

namespace {

// Runs on a thread of the core.
void on_looked(vt_owner* owner, const vt_looked* looked) {
  Event* event = make_event(looked->id, kLooked, looked->length);
  std::memcpy(event->bytes(), looked->answers, looked->length);
  send(environment_of(owner), event);
}

// look(questions, callback) -> its id, or an errno below 0; callback(answers) once, unless it is given up.
Napi::Value look(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  size_t length = 0;
  napi_get_value_string_utf8(env, info[0], nullptr, 0, &length);
  auto* questions = static_cast<char*>(take(length + 1));
  napi_get_value_string_utf8(env, info[0], questions, length + 1, nullptr);
  const uint32_t id = next_id();
  add_handler(env, environment, id, info[1]);
  retain(environment);
  const int error = vt_core_look(&environment->owner, id, {questions, length});
  if (error == 0) return Napi::Number::New(env, id);
  release(environment);
  handler_of(env, environment, id, true);
  std::free(questions);
  return Napi::Number::New(env, -error);
}

// lookCached(questions) -> the answers, as of look(); EAGAIN: only look() can answer
Napi::Value look_cached(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  std::string questions = info[0].As<Napi::String>();
  char room[32 * 1024];
  const size_t length = vt_core_look_cached({questions.data(), questions.size()}, room, sizeof room);
  return Napi::Value(env, bytes_of(env, room, length));
}

// giveUpLooking(id) -> the answers so far; undefined when the callback has been called, or is about to be
Napi::Value give_up_looking(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  vt_looked looked;
  if (!vt_core_give_up_looking(info[0].As<Napi::Number>().Uint32Value(), &looked)) return env.Undefined();
  handler_of(env, current(info), looked.id, true);
  napi_value answers = bytes_of(env, looked.answers, looked.length);
  std::free(const_cast<char*>(looked.answers));
  return Napi::Value(env, answers);
}

}  // namespace
