/* A mutex without the C++ runtime. */
#pragma once

#ifdef _WIN32
#include <windows.h>
typedef SRWLOCK vt_lock;
#define VT_LOCK_INIT SRWLOCK_INIT
static inline void vt_lock_take(vt_lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void vt_lock_give(vt_lock *lock) { ReleaseSRWLockExclusive(lock); }
#else
#include <pthread.h>
typedef pthread_mutex_t vt_lock;
#define VT_LOCK_INIT PTHREAD_MUTEX_INITIALIZER
static inline void vt_lock_take(vt_lock *lock) { pthread_mutex_lock(lock); }
static inline void vt_lock_give(vt_lock *lock) { pthread_mutex_unlock(lock); }
#endif
