#include "command.h"

#include <cstdlib>

namespace vt {
namespace {

#ifdef VITRINE_OVERRIDE
DWORD accepted = SECURITY_MANDATORY_LOW_RID;
#endif

// Lowers a token. https://learn.microsoft.com/windows/win32/secauthz/mandatory-integrity-control
bool lower(HANDLE token) {
  SID_IDENTIFIER_AUTHORITY authority = SECURITY_MANDATORY_LABEL_AUTHORITY;
  PSID low = nullptr;
  if (!AllocateAndInitializeSid(&authority, 1, SECURITY_MANDATORY_LOW_RID, 0, 0, 0, 0, 0, 0, 0, &low)) return false;
  TOKEN_MANDATORY_LABEL label = {};
  label.Label.Sid = low;
  label.Label.Attributes = SE_GROUP_INTEGRITY;
  bool lowered = SetTokenInformation(token, TokenIntegrityLevel, &label, sizeof label + GetLengthSid(low));
  DWORD error = GetLastError();
  FreeSid(low);
  SetLastError(error);
  return lowered;
}

bool read_level(HANDLE token, DWORD* level) {
  // A mandatory label's SID has one sub-authority; SECURITY_MAX_SID_SIZE holds any.
  union {
    TOKEN_MANDATORY_LABEL label;
    BYTE room[sizeof(TOKEN_MANDATORY_LABEL) + SECURITY_MAX_SID_SIZE];
  } read;
  DWORD length = 0;
  if (!GetTokenInformation(token, TokenIntegrityLevel, &read, sizeof read, &length)) return false;
  UCHAR count = *GetSidSubAuthorityCount(read.label.Label.Sid);
  if (count == 0) {
    SetLastError(ERROR_INVALID_SID);
    return false;
  }
  *level = *GetSidSubAuthority(read.label.Label.Sid, count - 1);
  return true;
}

// False if the token's policy cannot be read.
bool forbids_write_up(HANDLE token) {
  TOKEN_MANDATORY_POLICY policy = {};
  DWORD length = 0;
  return GetTokenInformation(token, TokenMandatoryPolicy, &policy, sizeof policy, &length) &&
         policy.Policy & TOKEN_MANDATORY_POLICY_NO_WRITE_UP;
}

}  // namespace

HANDLE low_integrity_token() {
  HANDLE own = nullptr, token = nullptr;
  if (!OpenProcessToken(GetCurrentProcess(), TOKEN_DUPLICATE | TOKEN_QUERY | TOKEN_ADJUST_DEFAULT | TOKEN_ASSIGN_PRIMARY,
                        &own))
    return nullptr;
  // Some privileges of an elevated host bypass every label: SeRestorePrivilege, SeTakeOwnershipPrivilege.
  bool made = CreateRestrictedToken(own, DISABLE_MAX_PRIVILEGE, 0, nullptr, 0, nullptr, 0, nullptr, &token);
  DWORD error = GetLastError();
  CloseHandle(own);
  if (made && lower(token)) return token;
  if (made) {
    error = GetLastError();
    CloseHandle(token);
  }
  SetLastError(error);
  return nullptr;
}

bool integrity_of(HANDLE process, Integrity* integrity) {
  HANDLE token = nullptr;
  if (!OpenProcessToken(process, TOKEN_QUERY, &token)) return false;
  bool read = read_level(token, &integrity->level);
  DWORD error = GetLastError();
  integrity->no_write_up = forbids_write_up(token);
  CloseHandle(token);
  SetLastError(error);
  return read;
}

bool is_held(const Integrity& integrity) {
#ifdef VITRINE_OVERRIDE
  if (accepted > SECURITY_MANDATORY_LOW_RID) return integrity.level <= accepted;
#endif
  return integrity.level <= SECURITY_MANDATORY_LOW_RID && integrity.no_write_up;
}

#ifdef VITRINE_OVERRIDE
void accept_integrity(DWORD level) { accepted = level; }
#endif

}  // namespace vt
