// JavaScript objects for structures of the core. binding.cc includes napi.h before this.
#pragma once

namespace {

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
  if (denial.is_protected) set_flag(object, "protected", true);
  if (denial.own_sandbox) set_flag(object, "ownSandbox", true);
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

Napi::Object describe_open_port(Napi::Env env, const vt_open_port& port) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "address", port.address);
  set_number(object, "port", port.port);
  set_number(object, "pid", port.pid);
  set_text(object, "program", port.program);
  return object;
}

Napi::Array describe_open_ports(Napi::Env env, const vt_open_port* ports) {
  Napi::Array array = Napi::Array::New(env);
  for (int row = 0; ports[row].port; row++) array.Set(static_cast<uint32_t>(row), describe_open_port(env, ports[row]));
  return array;
}

Napi::Object describe_note(Napi::Env env, const vt_noticed& note) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "kind", note.kind);
  set_text(object, "path", note.path);
  if (note.before) set_value(object, "before", Napi::String::New(env, note.before, note.before_length));
  return object;
}

Napi::Array describe_notes(Napi::Env env, const vt_notes* notes) {
  Napi::Array array = Napi::Array::New(env);
  vt_noticed note;
  for (int row = 0; vt_core_note(notes, row, &note); row++) array.Set(static_cast<uint32_t>(row), describe_note(env, note));
  return array;
}

Napi::Object describe_failure(Napi::Env env, const char* step, int error) {
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "kind", "failed");
  set_text(object, "step", step);
  set_number(object, "errno", error);
  return object;
}

Napi::Object describe_survivors(Napi::Env env, const vt_end& end) {
  Napi::Object object = Napi::Object::New(env);
  set_number(object, "killed", end.killed);
  set_number(object, "alive", end.alive);
  set_number(object, "group", end.group);
  if (end.left[0]) {
    Napi::Array left = Napi::Array::New(env);
    for (int at = 0; at < VT_LEFT && end.left[at]; at++) left.Set(static_cast<uint32_t>(at), Napi::Number::New(env, end.left[at]));
    set_value(object, "left", left);
  }
  return object;
}

napi_value bytes_of(Napi::Env env, const char* bytes, size_t length) {
  napi_value buffer;
  napi_create_buffer_copy(env, length, bytes, nullptr, &buffer);
  return buffer;
}

Napi::Object describe_end(Napi::Env env, const vt_end& end) {
  if (end.failed_step) return describe_failure(env, end.failed_step, end.failed_errno);
  Napi::Object object = Napi::Object::New(env);
  set_text(object, "kind", "ended");
  set_number(object, "code", static_cast<double>(end.code));
  set_number(object, "signal", end.signal);
  set_value(object, "survivors", describe_survivors(env, end));
  if (end.timed_out) set_flag(object, "timedOut", true);
  if (end.unsearched) set_flag(object, "unsearched", true);
  if (end.limited) set_text(object, "limited", end.limited);
  set_value(object, "denials", describe_denials(env, end.denials));
  if (end.open_ports) set_value(object, "listening", describe_open_ports(env, end.open_ports));
  if (end.notes) set_value(object, "notes", describe_notes(env, end.notes));
  if (vt_core_notes_unseen(end.notes)) set_flag(object, "unseen", true);
  return object;
}

}  // namespace
