// The Windows core: a thread for each command, and a registry to find commands by id.
#include <cstdlib>
#include <cstring>

#include "command.h"

extern "C" {
#include "../lock.h"
}

namespace vt {
namespace {

vt_lock registry_lock = VT_LOCK_INIT;
Command* registry;

struct Guard {
  Guard() { vt_lock_take(&registry_lock); }
  ~Guard() { vt_lock_give(&registry_lock); }
};

// False: no such command. The lock keeps it alive meanwhile.
template <typename Order>
bool order(uint32_t id, Order leave) {
  Guard guard;
  Command* command = registry;
  while (command && command->request.id != id) command = command->next;
  if (!command) return false;
  leave(&command->orders);
  SetEvent(command->ordered);
  return true;
}

void order_end(uint32_t id, int signal) {
  order(id, [signal](Orders* orders) {
    if (!orders->signal) orders->signal = signal;
  });
}

// Signals that end a process on Windows (HUP, INT, QUIT, KILL, TERM), as in Node's process.kill() (libuv, uv_kill).
bool ends_process(int signal) { return signal == 1 || signal == 2 || signal == 3 || signal == 9 || signal == 15; }

// Pins the addon in memory: threads of commands outlive the JavaScript environment.
void stay_loaded() {
  HMODULE module;
  GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN,
                     reinterpret_cast<LPCWSTR>(&registry), &module);
}

void enter(Command* command) {
  Guard guard;
  command->next = registry;
  registry = command;
}

}  // namespace

Orders take_orders(Command* command) {
  Guard guard;
  Orders orders = command->orders;
  command->orders = {};
  return orders;
}

void forget(Command* command) {
  Guard guard;
  Command** at = &registry;
  while (*at != command) at = &(*at)->next;
  *at = command->next;
}

}  // namespace vt

using namespace vt;

void vt_core_spawn(const vt_request* request, vt_started* started) {
  stay_loaded();
  *started = {nullptr, 0, -1};
  auto* command = static_cast<Command*>(std::calloc(1, sizeof(Command)));
  if (!command) std::abort();
  command->request = *request;
  command->ordered = CreateEventW(nullptr, FALSE, FALSE, nullptr);
  enter(command);
  HANDLE thread = command->ordered ? CreateThread(nullptr, 0, run, command, 0, nullptr) : nullptr;
  if (thread) {
    CloseHandle(thread);
    return;
  }
  started->failed_step = "thread";
  started->failed_errno = static_cast<int>(GetLastError());
  forget(command);
  if (command->ordered) CloseHandle(command->ordered);
  std::free(command->request.candidates.at);
  std::free(command);
}

// Windows cannot ask a process without window and console to end, so this kills it.
void vt_core_terminate(uint32_t id, bool) { order_end(id, 15); }
void vt_core_kill(uint32_t id) { order_end(id, 9); }
void vt_core_signal(uint32_t id, int signal) {
  if (ends_process(signal)) order_end(id, signal);
}

void vt_core_consumed(uint32_t id, size_t bytes) {
  order(id, [bytes](Orders* orders) { orders->consumed += bytes; });
}

void vt_core_write(uint32_t id, const char* bytes, size_t length) {
  auto* chunk = static_cast<Chunk*>(std::calloc(1, sizeof(Chunk) + length));
  if (!chunk) std::abort();
  chunk->length = length;
  std::memcpy(chunk->bytes(), bytes, length);
  bool taken = order(id, [chunk](Orders* orders) {
    Chunk** last = &orders->to_write;
    while (*last) last = &(*last)->next;
    *last = chunk;
  });
  if (!taken) std::free(chunk);
}

void vt_core_close_stdin(uint32_t id) {
  order(id, [](Orders* orders) { orders->close_stdin = true; });
}

void vt_core_kill_all_of(vt_owner* owner) {
  {
    Guard guard;
    for (Command* command = registry; command; command = command->next) {
      if (command->request.owner != owner) continue;
      command->orders.signal = 9;
      SetEvent(command->ordered);
    }
  }
  owner->release(owner);
}

// Windows does not report denials.
bool vt_core_denial(const vt_denials*, int, vt_refused*) { return false; }
void vt_core_free_denials(vt_denials*) {}
bool vt_core_note(const vt_notes*, int, vt_noticed*) { return false; }
bool vt_core_notes_unseen(const vt_notes*) { return false; }
void vt_core_free_notes(vt_notes*) {}

void vt_core_probe(const vt_facts* facts) {
  Integrity own = {}, low = {};
  bool ui_limits = false;
  DWORD error = try_low_integrity(&low, &ui_limits);
  integrity_of(GetCurrentProcess(), &own);
  wchar_t directory[MAX_PATH] = L"";
  char utf8[MAX_PATH * 3] = "";
  GetSystemDirectoryW(directory, MAX_PATH);
  WideCharToMultiByte(CP_UTF8, 0, directory, -1, utf8, sizeof utf8, nullptr, nullptr);
  facts->text(facts->to, "systemDirectory", utf8);
  facts->number(facts->to, "integrity", own.level);
  facts->number(facts->to, "error", error);
  facts->number(facts->to, "lowered", low.level);
  facts->flag(facts->to, "noWriteUp", low.no_write_up);
  facts->flag(facts->to, "uiLimits", ui_limits);
  facts->flag(facts->to, "held", error == 0 && is_held(low));
}

// No watcher needed: when this process ends, the kernel closes its job handles, which kills the commands.
int vt_core_watch(void) { return 0; }
int vt_core_watcher_pid(void) { return 0; }

#ifdef VITRINE_OVERRIDE
void vt_core_accept_integrity(uint32_t level) { accept_integrity(level); }
#endif
