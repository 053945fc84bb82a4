// The Node-API binding of the core, with its parts in binding/; the only file that includes napi.h. It checks the record
// of spawn, and trusts other arguments.
#include <napi.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#ifdef __linux__
#include <unistd.h>
#endif

extern "C" {
#include "core.h"
#include "lock.h"
}

#include "binding/environment.h"
#include "binding/request.h"
#include "binding/values.h"
#ifdef __linux__
#include "binding/linux.h"
#endif

namespace {

// spawn(record, handler) -> { kind: "queued", id, stdin } | { kind: "failed", step, errno }
Napi::Value spawn(const Napi::CallbackInfo& info) {
  Napi::Env env = info.Env();
  Environment* environment = current(info);
  vt_request request{};
  vt_started started;
  if (!take_request(env, info[0], info[1], &request)) return env.Undefined();
  request.owner = &environment->owner;
  add_handler(env, environment, request.id, info[1]);
  retain(environment);  // first: a thread of the core may release it before vt_core_spawn returns
  vt_core_spawn(&request, &started);
  if (started.failed_step) {
    release(environment);
    handler_of(env, environment, request.id, true);
    return describe_failure(env, started.failed_step, started.failed_errno);
  }
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "kind", "queued");
  set_number(object, "id", request.id);
  set_number(object, "stdin", started.stdin_fd);
  set_number(object, "state", started.state_fd);
  return object;
}

uint32_t id_of(const Napi::CallbackInfo& info) { return info[0].As<Napi::Number>().Uint32Value(); }

// terminate(id, atDeadline?)
void terminate(const Napi::CallbackInfo& info) { vt_core_terminate(id_of(info), info[1].ToBoolean()); }
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
// leave(code): ends the process, without Node's own teardown
void leave(const Napi::CallbackInfo& info) { _exit(info[0].As<Napi::Number>().Int32Value()); }

// resize(id, columns, rows)
void resize(const Napi::CallbackInfo& info) {
  vt_core_resize(id_of(info), static_cast<uint16_t>(info[1].As<Napi::Number>().Uint32Value()),
                 static_cast<uint16_t>(info[2].As<Napi::Number>().Uint32Value()));
}

// noticeNames(lines)
void notice_names(const Napi::CallbackInfo& info) { vt_core_notice_names(info[0].ToString().Utf8Value().c_str()); }

// answer(id, number, yes)
void answer(const Napi::CallbackInfo& info) {
  vt_core_answer(id_of(info), info[1].As<Napi::Number>().Uint32Value(), info[2].ToBoolean());
}

// proxyClient(port) -> the process of a command that connected from it, or undefined
Napi::Value proxy_client(const Napi::CallbackInfo& info) {
  vt_proxy_client client;
  if (!vt_core_proxy_client(static_cast<uint16_t>(id_of(info)), &client)) return info.Env().Undefined();
  Napi::Object object = Napi::Object::New(info.Env());
  set_number(object, "command", client.command);
  set_number(object, "pid", client.pid);
  set_text(object, "program", client.program);
  return object;
}

// lock(fd) -> 0 or an errno
Napi::Value lock(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), vt_core_lock(info[0].As<Napi::Number>().Int32Value()));
}
#endif

#ifdef _WIN32
// write(id, bytes): the event "written" follows once they have gone.
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
  environment->owner = {on_output, on_end, on_release, on_written, on_started, nullptr, nullptr};
  napi_set_instance_data(env, environment, nullptr, nullptr);
  napi_add_env_cleanup_hook(env, close_environment, environment);
  exports.Set("interfaceVersion", Napi::Number::New(env, VT_INTERFACE));
  exports.Set("spawn", Napi::Function::New(env, spawn));
  exports.Set("terminate", Napi::Function::New(env, terminate));
  exports.Set("kill", Napi::Function::New(env, kill_all));
  exports.Set("signal", Napi::Function::New(env, signal_group));
  exports.Set("consumed", Napi::Function::New(env, consumed));
  exports.Set("probe", Napi::Function::New(env, probe));
  exports.Set("watch", Napi::Function::New(env, watch));
  exports.Set("watcherPid", Napi::Function::New(env, watcher_pid));
#ifdef __linux__
  environment->owner.asked = on_asked;
  environment->owner.listening = on_listening;
  exports.Set("leave", Napi::Function::New(env, leave));
  exports.Set("makePrivate", Napi::Function::New(env, make_private));
  exports.Set("removePrivate", Napi::Function::New(env, remove_private));
  exports.Set("resetPrivate", Napi::Function::New(env, reset_private));
  exports.Set("sweepPrivate", Napi::Function::New(env, sweep_private));
  exports.Set("snapshot", Napi::Function::New(env, snapshot));
  exports.Set("unchanged", Napi::Function::New(env, unchanged));
  exports.Set("answer", Napi::Function::New(env, answer));
  exports.Set("noticeNames", Napi::Function::New(env, notice_names));
  exports.Set("resize", Napi::Function::New(env, resize));
  exports.Set("lock", Napi::Function::New(env, lock));
  exports.Set("proxyClient", Napi::Function::New(env, proxy_client));
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
