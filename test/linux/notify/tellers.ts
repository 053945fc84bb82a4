import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Enforcement, Result } from '../../../src/base/types.ts'
import type { ShellOptions } from '../../../src/host/shell-options.ts'
import { builtLibrary } from '../../helpers/programs.ts'

/** The last line that a teller prints, as JSON. */
interface Told {
  readonly result: Result
  readonly enforcement: Enforcement
}

/** Writes a host of its own that runs one line in read mode, passes its output on, and tells what became of it. */
export function writeTeller(directory: string, command: string, options: ShellOptions = {}): string {
  const library = pathToFileURL(builtLibrary).href
  const script = join(directory, 'teller.mjs')
  writeFileSync(
    script,
    `import { openShell } from ${JSON.stringify(library)}
    const env = { ...process.env, XDG_CONFIG_HOME: ${JSON.stringify(directory)} }
    const shell = await openShell({ mode: 'read', cwd: ${JSON.stringify(directory)}, env, ...${JSON.stringify(options)} })
    const onOutput = (_, chunk) => void process.stdout.write(chunk)
    const result = await shell.execute({ command: ${JSON.stringify(command)} }, { onOutput })
    console.log(JSON.stringify({ result, enforcement: shell.enforcement }))
    await shell.close()`,
  )
  return script
}

/** What a teller told. */
export function toldBy(stdout: string): Told {
  return JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')
}
