/** The systems that vitrine tells apart. */
export type Platform = 'linux' | 'macos' | 'windows' | 'other'

const platforms: Readonly<Record<string, Platform>> = { linux: 'linux', darwin: 'macos', win32: 'windows' }

/** What Node calls the system. */
export const platformName: string = process.platform

/** The system this process runs on: chosen here and nowhere else. */
export const platform: Platform = platforms[platformName] ?? 'other'
