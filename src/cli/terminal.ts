import { fstatSync } from 'node:fs'

/** The device number of /dev/null: major 1, minor 3 (the kernel's devices.txt). */
const nullDevice = 0x103

/** Whether a descriptor is /dev/null. */
export function isNull(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isCharacterDevice() && stat.rdev === nullDevice
}

/**
 * Whether a descriptor is a terminal. Only a character device can be one: for others node:tty is not loaded.
 */
export function isTerminal(fd: number): boolean {
  if (!fstatSync(fd).isCharacterDevice() || isNull(fd)) return false
  return process.getBuiltinModule('node:tty').isatty(fd)
}
