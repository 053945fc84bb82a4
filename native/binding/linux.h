// Linux: private directories, made synchronously, removed and swept on libuv's threads; snapshots of paths. binding.cc includes napi.h
// before this.
#pragma once

#include <vector>

#include "values.h"

namespace {

// Holds the lock of a private directory; closed with the JavaScript environment at the latest.
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
    set_text(object, "failedStep", made.failed_step);
    set_number(object, "errno", made.failed_errno);
    return object;
  }
  napi_value keeper;
  napi_create_external(env, new Keeper{made.lock}, close_keeper, nullptr, &keeper);
  set_text(object, "path", made.path);
  set_value(object, "keeper", keeper);
  return object;
}

struct Blocking {
  int lock = -1;            // of the directory to remove, or
  std::string temporary;    // where to sweep
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
  // Cancelled: the environment ends; the next sweep removes the directory.
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

// resetPrivate(keeper) -> whether it can serve another command
Napi::Value reset_private(const Napi::CallbackInfo& info) {
  void* data = nullptr;
  napi_get_value_external(info.Env(), info[0], &data);
  return Napi::Boolean::New(info.Env(), vt_core_reset_private(static_cast<Keeper*>(data)->lock));
}

// sweepPrivate(temporary) -> promise of an errno
Napi::Value sweep_private(const Napi::CallbackInfo& info) {
  auto* blocking = new Blocking();
  blocking->temporary = text_of(info, 0);
  return start_blocking(info.Env(), blocking);
}

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
