import { openTestShell, type TestShellOptions } from './place.ts'

/** What a program gets from such a shell, read by itself. */
export async function environmentOf(options: TestShellOptions): Promise<Record<string, string>> {
  const shell = await openTestShell(options)
  const { stdout } = await shell.execute({ argv: ['cat', '/proc/self/environ'] })
  const entries = stdout.split('\0').filter(Boolean)
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  )
}
