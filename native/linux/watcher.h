/* What the watcher and its starter agree on. */
#pragma once

enum { VT_WATCHED_SESSIONS = 4096 };
