export type Platform = 'linux' | 'macos' | 'windows' | 'other'

const platforms: Readonly<Record<string, Platform>> = { linux: 'linux', darwin: 'macos', win32: 'windows' }

export const platformName: string = process.platform

/** The operating system of this process; no other file reads `process.platform`. */
export const platform: Platform = platforms[platformName] ?? 'other'
