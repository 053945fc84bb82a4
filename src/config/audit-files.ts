/** Rotated audit logs are kept as `PATH.1` (newest) to `PATH.9`. */
export const keptFiles = 9
