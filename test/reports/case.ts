import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Home, Ran } from '../cli/vitrine.ts'

/** One case from people who run agents' commands in sandboxes, as a script for sh in which `vitrine` is the command line. */
export interface Report {
  /** Its number, and what is wanted. */
  readonly name: string
  /** It runs in a fresh directory, which git does not take for a repository unless the script makes one. */
  readonly script: string
  /** A program that it needs. */
  readonly needs?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** What is seen of it. */
  readonly ran?: object
  check?(ran: Ran, directory: string): unknown
}

let cases = 0

/** Runs each as a test with its name. `missing`: the programs that this machine does not have. */
export function reports(home: Home, table: readonly Report[], isThere: (program: string) => boolean): void {
  for (const { name, script, needs = [], env = {}, ran: seen = {}, check } of table) {
    const missing = needs.filter((program) => !isThere(program))
    it.skipIf(missing.length > 0)(name, async () => {
      const directory = join(home.directory, `case ${cases++}`)
      mkdirSync(directory)
      const ran = await home.shell(`${known}\n${script}`, { cwd: directory, env })
      expect(ran).toMatchObject(seen)
      await check?.(ran, directory)
    })
  }
}

/** `repository DIR`: a git repository with an author of its own. */
const known = `
repository() {
  git init -q "$1"
  git -C "$1" config user.email a@example.com
  git -C "$1" config user.name A
}
d=$PWD`
