import { fstatSync } from 'node:fs'

/** The device number of /dev/null: major 1, minor 3 (devices.txt of the kernel). */
const nullDevice = 0x103

/** Whether nothing can come from a descriptor, or go to it. */
export function isNull(fd: number): boolean {
  const stat = fstatSync(fd)
  return stat.isCharacterDevice() && stat.rdev === nullDevice
}

/** Whether a descriptor is a terminal. Only a device can be one: for anything else node:tty need not be loaded. */
export function isTerminal(fd: number): boolean {
  if (!fstatSync(fd).isCharacterDevice() || isNull(fd)) return false
  return process.getBuiltinModule('node:tty').isatty(fd)
}
