// The token of a read-mode command: Low integrity, no privileges. And the level at which a process really runs.
#pragma once

#include <windows.h>

namespace vt {

// What a process can change, as its own token says.
struct Integrity {
  DWORD level;       // SECURITY_MANDATORY_*_RID
  bool no_write_up;  // the token's policy makes the level count (TOKEN_MANDATORY_POLICY_NO_WRITE_UP)
};

// A primary token like this process's, without privileges, at Low integrity. NULL with GetLastError.
HANDLE low_integrity_token();

// Reads back what a process, started or suspended, runs at. False with GetLastError.
bool integrity_of(HANDLE process, Integrity* integrity);

// Whether a confined command may run so. In test builds an override raises the level.
bool is_held(const Integrity& integrity);

#ifdef VITRINE_OVERRIDE
void accept_integrity(DWORD level);
#endif

}  // namespace vt
