// Snapshots of paths (Linux). binding.cc includes napi.h before this.
#pragma once

#include <vector>

#include "values.h"

namespace {

// Strings of a JavaScript array, and pointers to them that end with NULL.
class Paths {
 public:
  explicit Paths(const Napi::Value& from) {
    auto array = from.As<Napi::Array>();
    for (uint32_t i = 0; i < array.Length(); i++) texts_.push_back(array.Get(i).As<Napi::String>().Utf8Value());
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
    pointers_.push_back(nullptr);
  }
  const char* const* get() const { return pointers_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

void free_snapshot(napi_env, void* data, void*) { vt_core_free_snapshot(static_cast<vt_dir_snapshot*>(data)); }

// snapshot(above, paths) -> what `unchanged` takes
Napi::Value snapshot(const Napi::CallbackInfo& info) {
  napi_value taken;
  vt_dir_snapshot* states = vt_core_snapshot(Paths(info[0]).get(), Paths(info[1]).get());
  napi_create_external(info.Env(), states, free_snapshot, nullptr, &taken);
  return Napi::Value(info.Env(), taken);
}

// unchanged(snapshot) -> boolean
Napi::Value unchanged(const Napi::CallbackInfo& info) {
  void* data = nullptr;
  napi_get_value_external(info.Env(), info[0], &data);
  return Napi::Boolean::New(info.Env(), vt_core_unchanged(static_cast<vt_dir_snapshot*>(data)));
}

}  // namespace
