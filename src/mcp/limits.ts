/** Commands that one server runs at once; further calls wait. */
export const maxAtOnce = 32

/** Questions to the user in one call: the SDK ends older clients' calls after 8 rounds. */
export const maxQuestions = 8

/** Lines of one call. Each may need a question, so no more than `maxQuestions`. */
export const maxLines = 8

export const maxSessions = 256

/** Bytes of one message on stdin; a longer one ends the connection. */
export const maxMessageBytes = 10 * 1024 * 1024

/** Milliseconds that a command may run on after the connection of its call breaks. */
export const brokenGraceMs = 5000

/** Milliseconds without a request after which an HTTP session is closed. */
export const idleMs = 30 * 60_000

/** Milliseconds that commands may run on after the server is told to end. */
export const drainMs = 10_000

/** Milliseconds in which the answers to the last calls must have been delivered when a server ends. */
export const answerMs = 1000
