// Builds a vt_request from the arguments of spawn. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"

namespace {

// Copies a string as UTF-8, or the bytes of a Uint8Array, to `to`, with a NUL. Returns the length; only that if `to` is null.
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

// The text arguments of spawn, in order; each is a string of NUL-separated items.
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

// From a Float64Array in the order of struct vt_limits; undefined: no limits.
vt_limits take_limits(Napi::Value value) {
  if (!value.IsTypedArray()) return {};
  const auto numbers = value.As<Napi::Float64Array>();
  const auto at = [&numbers](size_t index) { return static_cast<uint64_t>(numbers[index]); };
  return {at(0), at(1), at(2), at(3), at(4)};
}

// From columns * 65536 + rows; undefined: no terminal.
void take_size(Napi::Value value, vt_request* request) {
  if (!value.IsNumber()) return;
  const uint32_t size = value.As<Napi::Number>().Uint32Value();
  request->columns = static_cast<uint16_t>(size >> 16);
  request->rows = static_cast<uint16_t>(size);
}

// undefined: 0.
uint32_t take_milliseconds(Napi::Value value) { return value.IsNumber() ? value.As<Napi::Number>().Uint32Value() : 0; }

enum Flag { kMerged = 1, kConfined = 2, kNetwork = 4, kListener = 8, kReport = 16, kState = 32 };

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
  request.state = flags & kState;
  request.abi = info[kTexts + 2].As<Napi::Number>().Int32Value();
  request.limits = take_limits(info[kTexts + 3]);
  take_size(info[kTexts + 4], &request);
  request.timeout_ms = take_milliseconds(info[kTexts + 5]);
  request.grace_ms = take_milliseconds(info[kTexts + 6]);
  return request;
}

}  // namespace
