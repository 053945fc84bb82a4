// Builds a vt_request from the record of spawn: SpawnRecord in src/launch/addon.ts. binding.cc includes napi.h before this.
#pragma once

#include "environment.h"

namespace {

// A field is named by its path, "limits.cpuSeconds"; the last part is its key. The first wrong field leaves a pending TypeError
// that names it. A reader that has failed reads no more: everything it returns from then on is empty.
class Reader {
 public:
  explicit Reader(napi_env env) : env_(env) {}

  bool failed() const { return failed_; }

  napi_value field(napi_value object, const char* path) {
    napi_value value = nullptr;
    const char* dot = std::strrchr(path, '.');
    if (failed_ || napi_get_named_property(env_, object, dot ? dot + 1 : path, &value) == napi_ok) return value;
    wrong(path, "readable");  // its getter has thrown: that error stays
    return nullptr;
  }

  // nullptr for null; undefined is a value.
  napi_value optional(napi_value object, const char* path) {
    napi_value value = field(object, path);
    return is(value, napi_null) ? nullptr : value;
  }

  // An object, or nullptr for null: a field that is left out must not mean "unconfined".
  napi_value record(napi_value object, const char* path) {
    napi_value value = optional(object, path);
    if (!value || is(value, napi_object)) return value;
    wrong(path, "an object");
    return nullptr;
  }

  bool flag(napi_value object, const char* path) {
    bool value = false;
    napi_value from = field(object, path);
    if (from && napi_get_value_bool(env_, from, &value) != napi_ok) wrong(path, "a boolean");
    return value;
  }

  uint64_t number(napi_value object, const char* path, uint64_t most) { return number_of(field(object, path), path, most); }

  uint64_t number_of(napi_value from, const char* path, uint64_t most) {
    double value = -1;
    if (!from) return 0;
    napi_get_value_double(env_, from, &value);
    if (value >= 0 && value <= static_cast<double>(most) && value == static_cast<double>(static_cast<uint64_t>(value)))
      return static_cast<uint64_t>(value);
    wrong(path, "an integer from 0 to " + std::to_string(most));
    return 0;
  }

  // Appends a string and its NUL to `to`.
  void text(napi_value object, const char* path, std::string* to) {
    napi_value from = field(object, path);
    if (from && !append(from, to)) wrong(path, "a string without NUL");
  }

  // Appends strings that one string holds with a NUL between them, and the last one's NUL; none if it is empty.
  void joined(napi_value object, const char* path, std::string* to) {
    napi_value from = field(object, path);
    const size_t at = to->size();
    if (from && !read(from, to)) wrong(path, "a string");
    if (to->size() == at + 1) to->pop_back();
  }

  // Appends each string of an array and its NUL; returns how many.
  uint32_t texts(napi_value object, const char* path, std::string* to) {
    napi_value from = field(object, path), element = nullptr;
    bool is_array = false;
    uint32_t count = 0;
    if (!from) return 0;
    if (napi_is_array(env_, from, &is_array) != napi_ok || !is_array) return wrong(path, "an array of strings"), 0;
    napi_get_array_length(env_, from, &count);
    for (uint32_t at = 0; at < count; at++)
      if (napi_get_element(env_, from, at, &element) != napi_ok || !append(element, to))
        return wrong(std::string(path) + '[' + std::to_string(at) + ']', "a string without NUL"), 0;
    return count;
  }

  bool is(napi_value value, napi_valuetype wanted) const {
    napi_valuetype type;
    return value && napi_typeof(env_, value, &type) == napi_ok && type == wanted;
  }

  // Does not replace an exception that is pending already.
  void wrong(const std::string& path, const std::string& wanted) {
    failed_ = true;
    napi_throw_type_error(env_, nullptr, ("spawn: " + path + " must be " + wanted).c_str());
  }

 private:
  // A string and its NUL: short ones with one call.
  bool read(napi_value from, std::string* to) {
    char text[512];
    size_t length = 0;
    if (napi_get_value_string_utf8(env_, from, text, sizeof text, &length) != napi_ok) return false;
    if (length < sizeof text - 4) return to->append(text, length + 1), true;  // it stops before a character that is cut
    napi_get_value_string_utf8(env_, from, nullptr, 0, &length);
    const size_t at = to->size();
    to->resize(at + length + 1);
    napi_get_value_string_utf8(env_, from, &(*to)[at], length + 1, nullptr);
    return true;
  }

  bool append(napi_value from, std::string* to) {
    const size_t at = to->size();
    return read(from, to) && std::strlen(&(*to)[at]) == to->size() - at - 1;
  }

  napi_env env_;
  bool failed_ = false;
};

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
  read_reads(reader, from, texts);
  if (napi_value changes = reader.record(from, "confinement.changes")) {
    read_places(reader, changes, "confinement.changes.roots", VT_ROOT, texts);
    read_places(reader, changes, "confinement.changes.protected", VT_PROTECTED, texts);
    read_places(reader, changes, "confinement.changes.closed", VT_CLOSED, texts);
    read_places(reader, changes, "confinement.changes.unmade", VT_UNMADE, texts);
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
  request->keeps_state = reader.flag(record, "keepsState");
  request->tells_start = reader.flag(record, "tellsStart");
  request->limits = limits_of(reader, record);
  read_terminal(reader, record, request);
  read_deadline(reader, record, request);
  read_confinement(reader, record, request, &texts);
  if (reader.failed()) return false;
  move_texts(texts, request);
  return true;
}

}  // namespace
