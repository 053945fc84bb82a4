// Definitions that C++ headers need from libstdc++. The addon does not link it: old systems have an old version.
#include <cstdlib>
#include <new>

#define OWN __attribute__((visibility("hidden")))

void* operator new(std::size_t size) {
  void* memory = std::malloc(size ? size : 1);
  if (!memory) std::abort();
  return memory;
}
void* operator new[](std::size_t size) { return operator new(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

// Built without exceptions: the errors of containers abort.
namespace std {
OWN void __throw_length_error(const char*) { std::abort(); }
OWN void __throw_logic_error(const char*) { std::abort(); }
OWN void __throw_out_of_range_fmt(const char*, ...) { std::abort(); }
OWN void __throw_bad_alloc() { std::abort(); }
OWN void __throw_bad_array_new_length() { std::abort(); }
OWN void __throw_bad_function_call() { std::abort(); }
}  // namespace std

extern "C" OWN void __cxa_pure_virtual() { std::abort(); }
