// Relays (Linux): tunnels of the proxy that a thread of the core carries. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"
#include "request.h"

namespace {

// Runs on a thread of the core.
void on_relayed(vt_owner* owner, uint32_t id, bool ended) {
  Event* event = make_event(id, kRelayed, 0);
  event->stream = ended;
  send(environment_of(owner), event);
}

uint64_t bytes_in(const Napi::Value& value) { return static_cast<uint64_t>(value.As<Napi::Number>().Int64Value()); }

// relay(first, second, room, callback, backOnly) -> its id, or an errno below 0; callback("more" | "ended")
Napi::Value relay(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  vt_relay_request request{};
  request.id = next_id();
  request.owner = &environment->owner;
  request.first = info[0].As<Napi::Number>().Int32Value();
  request.second = info[1].As<Napi::Number>().Int32Value();
  request.room = bytes_in(info[2]);
  request.back_only = info[4].ToBoolean();
  add_handler(env, environment, request.id, info[3]);
  retain(environment);
  const int error = vt_core_relay(&request);
  if (error == 0) return Napi::Number::New(env, request.id);
  release(environment);
  handler_of(env, environment, request.id, true);
  return Napi::Number::New(env, -error);
}

// relayMore(id, bytes)
void relay_more(const Napi::CallbackInfo& info) {
  vt_core_relay_more(info[0].As<Napi::Number>().Uint32Value(), bytes_in(info[1]));
}

// endRelay(id) -> { there, back }: the bytes that it has moved. Its callback is not called any more.
Napi::Value end_relay(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  const uint32_t id = info[0].As<Napi::Number>().Uint32Value();
  const vt_relayed moved = vt_core_end_relay(id);
  handler_of(env, current(info), id, true);
  Napi::Object object = Napi::Object::New(env);
  set_number(object, "there", static_cast<double>(moved.there));
  set_number(object, "back", static_cast<double>(moved.back));
  return object;
}

}  // namespace
