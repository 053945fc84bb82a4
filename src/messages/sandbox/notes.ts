/** Notes of `enforcement` that several systems share. */

export const outputOnly = 'refusals show only in the output of the command'
export const readableLocks = 'a file that can be read can be locked'
