// The token of a read-mode command (Low integrity, no privileges), and the integrity at which a process actually runs.
#pragma once

#include <windows.h>

namespace vt {

struct Integrity {
  DWORD level;       // SECURITY_MANDATORY_*_RID
  bool no_write_up;  // TOKEN_MANDATORY_POLICY_NO_WRITE_UP: without it the level restricts no writes
};

// A primary token of this process without privileges, at Low integrity. NULL with GetLastError.
HANDLE low_integrity_token();

// False with GetLastError.
bool integrity_of(HANDLE process, Integrity* integrity);

// Whether a confined command may run so. Test builds can raise the level.
bool is_held(const Integrity& integrity);

#ifdef VITRINE_OVERRIDE
void accept_integrity(DWORD level);
#endif

}  // namespace vt
