import { loadLate } from '../base/process.ts'

/** Few processes go on with a session of others. */
export const loadSessionFile = () => loadLate(() => import('./session-file.ts'))
