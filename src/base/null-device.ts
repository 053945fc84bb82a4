import type { Stats } from 'node:fs'

/** The device number of /dev/null: major 1, minor 3 (devices.txt of the kernel). */
const nullDevice = 0x103

export function isNull(stat: Stats): boolean {
  return stat.isCharacterDevice() && stat.rdev === nullDevice
}
