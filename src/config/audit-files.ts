/** Older audit logs are kept as `PATH.1` (the newest of them) to `PATH.9`. */
export const keptFiles = 9
