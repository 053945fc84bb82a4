// Reads the fields of a JavaScript record. binding.cc includes napi.h before this.
#pragma once

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

}  // namespace
