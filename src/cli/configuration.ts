import { resolve } from 'node:path'
import { type LoadedConfig, loadConfig } from '../index.ts'
import { ignoredLines, prefixed, valueMissing } from '../result/explain-cli.ts'
import { misuse } from './options.ts'
import { standardError } from './sink.ts'

/** What a command line says about the configuration. */
export interface Given {
  readonly cwd: string | undefined
  readonly config: string | undefined
  readonly workspace: string | undefined
}

/** The configuration with what the command line changes in it. Throws CONFIG_INVALID, INVALID_REQUEST. */
export function loadGiven({ cwd, config, workspace }: Given): Promise<LoadedConfig> {
  // `--workspace "$UNSET"` must not mean that there is none.
  if (workspace === '') throw misuse(valueMissing('--workspace'))
  return loadConfig({
    cwd: cwd ?? process.cwd(),
    env: process.env,
    configFile: config,
    flags:
      workspace === undefined
        ? {}
        : { 'policy.workspace': { value: fromHere(workspace), from: '--workspace' } },
  })
}

/** As every path of a command line: from the current directory, whatever --cwd says. */
function fromHere(path: string): string {
  return path === '~' || path.startsWith('~/') ? path : resolve(path)
}

/** Says what of project files does not count. */
export async function sayIgnored({ ignored }: Pick<LoadedConfig, 'ignored'>): Promise<void> {
  for (const line of ignoredLines(ignored)) await standardError.write(prefixed(line))
}
