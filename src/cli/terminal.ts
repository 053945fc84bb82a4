import { fstatSync } from 'node:fs'

/** Whether a descriptor is a terminal. Only a character device can be one, and node:tty takes time to load. */
export async function isTerminal(fd: number): Promise<boolean> {
  if (!fstatSync(fd).isCharacterDevice()) return false
  const { isatty } = await import('node:tty')
  return isatty(fd)
}
