import { platform } from '../internal.ts'

/** Commands that one server runs at once; further calls wait in line. */
export const mostAtOnce = 32

/**
 * Lines that one call can run. Each may have to be asked about in a round of its own, and the SDK ends a call after 8
 * rounds for clients of the older protocols.
 */
export const mostLines = 8

/** Clients with a session that one server has at once over HTTP. */
export const mostSessions = 256

/** Bytes of one message on stdin; a longer one is answered with an error. */
export const largestMessage = 10 * 1024 * 1024

/** Milliseconds that a command runs on after the connection of its call has broken. */
export const brokenGraceMs = 5000

/** Milliseconds without a request after which a session over HTTP is closed. */
export const idleMs = 30 * 60_000

/** Milliseconds that commands may go on once the server is told to end. */
export const drainMs = 10_000

/** What reads a command line here. */
export const interpreter = platform === 'windows' ? 'powershell' : 'sh'
