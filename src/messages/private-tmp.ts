/** What became of a private directory that could not be removed. */
export function notRemoved(directory: string, errno: string): string {
  return `${directory} or what an earlier run left could not be removed (${errno}); the next command with a private tmp of another process tries again`
}

/** A private directory that holds too much to be gone when the result is due. */
export function stillRemoved(directory: string): string {
  return `${directory} is still being removed: it holds more than can go before the result is due; close() waits for it`
}
