/** What became of a private directory that could not be removed. */
export function notRemoved(directory: string, errno: string): string {
  return `${directory} or what an earlier run left could not be removed (${errno}); the next command with a private tmp of another process tries again`
}
