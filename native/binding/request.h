// Builds a vt_request from the record of spawn: SpawnRecord in src/launch/addon.ts. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"
#include "record.h"

namespace {

constexpr uint64_t kMostSafe = (uint64_t{1} << 53) - 1;  // Number.MAX_SAFE_INTEGER

// NUL-terminated items, as in vt_text.
struct Texts {
  std::string candidates, argv, environment, directory, places;
  std::vector<vt_place_kind> kinds;  // of each item of `places`; then VT_NO_PLACE, if confined
};

uint32_t next_id() {
  static std::atomic<uint32_t> last{0};
  return ++last;
}

int stdin_of(Reader& reader, napi_value record) {
  napi_value from = reader.optional(record, "stdin");
  if (!from) return VT_STDIN_NULL;
  if (reader.is(from, napi_string)) return VT_STDIN_PIPE;  // "pipe"
  return static_cast<int>(reader.number_of(from, "stdin", INT32_MAX));
}

vt_limits limits_of(Reader& reader, napi_value record) {
  napi_value from = reader.record(record, "limits");
  if (!from) return {};
  vt_limits limits{};
  limits.memory_bytes = reader.number(from, "limits.memoryBytes", kMostSafe);
  limits.cpu_seconds = reader.number(from, "limits.cpuSeconds", kMostSafe);
  limits.processes = reader.number(from, "limits.processes", kMostSafe);
  limits.open_files = reader.number(from, "limits.openFiles", kMostSafe);
  limits.private_tmp_bytes = reader.number(from, "limits.privateTmpBytes", kMostSafe);
  return limits;
}

void read_terminal(Reader& reader, napi_value record, vt_request* request) {
  napi_value from = reader.record(record, "terminal");
  if (!from) return;
  request->columns = static_cast<uint16_t>(reader.number(from, "terminal.columns", UINT16_MAX));
  request->rows = static_cast<uint16_t>(reader.number(from, "terminal.rows", UINT16_MAX));
}

void read_deadline(Reader& reader, napi_value record, vt_request* request) {
  napi_value from = reader.record(record, "deadline");
  if (!from) return;
  request->timeout_ms = static_cast<uint32_t>(reader.number(from, "deadline.timeoutMs", UINT32_MAX));
  request->grace_ms = static_cast<uint32_t>(reader.number(from, "deadline.graceMs", UINT32_MAX));
}

#ifdef __linux__
void read_places(Reader& reader, napi_value from, const char* path, vt_place_kind kind, Texts* texts) {
  texts->kinds.insert(texts->kinds.end(), reader.texts(from, path, &texts->places), kind);
}

void read_reads(Reader& reader, napi_value confinement, Texts* texts) {
  napi_value reads = reader.record(confinement, "confinement.reads");
  if (!reads) return reader.wrong("confinement.reads", "an object");
  if (napi_value readable = reader.record(reads, "confinement.reads.readable")) {
    texts->kinds.push_back(VT_READABLE);
    reader.text(readable, "confinement.reads.readable.workspace", &texts->places);
    read_places(reader, readable, "confinement.reads.readable.others", VT_READABLE, texts);
    read_places(reader, readable, "confinement.reads.readable.unlinked", VT_UNLINKED, texts);
  }
  read_places(reader, reads, "confinement.reads.unreadable", VT_UNREADABLE, texts);
  if (napi_value names = reader.record(reads, "confinement.reads.names")) {
    texts->kinds.push_back(VT_SEARCHED);
    reader.text(names, "confinement.reads.names.beneath", &texts->places);
    read_places(reader, names, "confinement.reads.names.patterns", VT_NAME, texts);
    read_places(reader, names, "confinement.reads.names.except", VT_EXCEPTED, texts);
    read_places(reader, names, "confinement.reads.names.skip", VT_SKIPPED, texts);
  }
}

#endif

// On Windows it has no fields.
void read_confinement(Reader& reader, napi_value record, vt_request* request, Texts* texts) {
  napi_value from = reader.record(record, "confinement");
  request->confined = from != nullptr;
#ifdef __linux__
  if (!from) return;
  request->abi = static_cast<int>(reader.number(from, "confinement.abi", INT32_MAX));
  request->network = reader.flag(from, "confinement.network");
  if (napi_value proxy = reader.record(from, "confinement.proxy")) {
    request->proxy.port = static_cast<uint16_t>(reader.number(proxy, "confinement.proxy.port", UINT16_MAX));
    request->proxy.command = static_cast<uint32_t>(reader.number(proxy, "confinement.proxy.command", UINT32_MAX));
    read_places(reader, proxy, "confinement.proxy.services", VT_SERVICE, texts);
  }
  request->world = static_cast<uint32_t>(reader.number(from, "confinement.world", UINT32_MAX));
  request->listener = reader.flag(from, "confinement.listener");
  request->asks = reader.flag(from, "confinement.asks");
  read_places(reader, from, "confinement.writable", VT_WRITABLE, texts);
  read_places(reader, from, "confinement.sockets", VT_SOCKET, texts);
  read_reads(reader, from, texts);
  if (napi_value changes = reader.record(from, "confinement.changes")) {
    read_places(reader, changes, "confinement.changes.roots", VT_ROOT, texts);
    read_places(reader, changes, "confinement.changes.protected", VT_PROTECTED, texts);
    read_places(reader, changes, "confinement.changes.closed", VT_CLOSED, texts);
  }
  texts->kinds.push_back(VT_NO_PLACE);
#endif
}

void* take(size_t size) {
  void* memory = std::malloc(size);
  if (!memory) std::abort();
  return memory;
}

// The core takes over the block.
void move_texts(const Texts& from, vt_request* request) {
  const std::string* const parts[] = {&from.candidates, &from.argv, &from.environment, &from.directory, &from.places};
  vt_text places, *const to[] = {&request->candidates, &request->argv, &request->environment, &request->directory, &places};
  size_t total = 1;
  for (const std::string* part : parts) total += part->size();
  auto* at = static_cast<char*>(take(total));
  for (size_t part = 0; part < sizeof parts / sizeof *parts; at += parts[part++]->size()) {
    std::memcpy(at, parts[part]->data(), parts[part]->size());
    *to[part] = {at, parts[part]->size() - !parts[part]->empty()};
  }
  if (from.kinds.empty()) return;
  vt_place* place = request->places = static_cast<vt_place*>(take(from.kinds.size() * sizeof(vt_place)));
  const char* text = places.at;
  for (vt_place_kind kind : from.kinds) {
    *place++ = {kind, kind ? text : nullptr};
    if (kind) text += std::strlen(text) + 1;
  }
}

// False: a TypeError is pending, or what a getter threw.
bool take_request(Napi::Env env, napi_value record, napi_value handler, vt_request* request) {
  Reader reader(env);
  Texts texts;
  if (!reader.is(record, napi_object)) return reader.wrong("the record", "an object"), false;
  if (!reader.is(handler, napi_function)) return reader.wrong("the handler", "a function"), false;
  request->id = next_id();
  reader.texts(record, "candidates", &texts.candidates);
  reader.texts(record, "argv", &texts.argv);
  reader.joined(record, "env", &texts.environment);
  reader.text(record, "cwd", &texts.directory);
  request->stdin_fd = stdin_of(reader, record);
  request->merged = reader.flag(record, "merged");
  request->limits = limits_of(reader, record);
  read_terminal(reader, record, request);
  read_deadline(reader, record, request);
  read_confinement(reader, record, request, &texts);
  if (reader.failed()) return false;
  move_texts(texts, request);
  return true;
}

}  // namespace
