import { visible } from '../base/text.ts'
import type { AnyResult } from '../base/types.ts'
import type { ConfigKey } from '../config/load.ts'
import type { ProjectSettings } from '../config/origin.ts'
import type { Config } from '../config/schema.ts'
import { limitKeys } from './limits.ts'

export function setBy(key: ConfigKey, file: string): string {
  return `${key} is set by ${visible(file)}`
}

/** Names the file and line of a project file's rule. */
export function ruleSetBy(source: string): string {
  return `a rule of ${visible(source)}`
}

export function namingProjects<R extends AnyResult>(
  result: R,
  { shell }: Config,
  settings: ProjectSettings,
): R {
  if (settings.size === 0) return result
  const named = keysBehind(result, shell).flatMap((key) => {
    const file = settings.get(key)
    return file === undefined ? [] : [setBy(key, file)]
  })
  if (named.length === 0) return result
  const hint = [...(result.hint === undefined ? [] : [result.hint]), `${named.join('; ')}.`].join(' ')
  return { ...result, hint }
}

function keysBehind(result: AnyResult, shell: Config['shell']): readonly ConfigKey[] {
  const { outcome, failure, denials, omittedBytes, timeoutMs, mode } = result
  const keys: ConfigKey[] = []
  if (outcome.kind === 'timed-out' && timeoutMs === shell.timeout_ms) keys.push('shell.timeout_ms')
  if (outcome.kind === 'timed-out' && timeoutMs === shell.max_timeout_ms) keys.push('shell.max_timeout_ms')
  if (outcome.kind === 'output-limit') keys.push('output.max_bytes')
  const limit = outcome.kind === 'limited' ? limitKeys[outcome.limit] : undefined
  if (limit) keys.push(`limits.${limit}`)
  else if (failure?.kind === 'limit' && outcome.kind === 'exited') keys.push('limits.open_files')
  if (omittedBytes > 0) keys.push('output.inline_max_chars')
  if (mode !== 'write' && (failure?.kind === 'permission-denied' || denials.length > 0))
    keys.push('shell.mode', 'shell.network', 'shell.reads', 'shell.unreadable', modeKeys[mode])
  return keys
}

const modeKeys = { read: 'shell.private_tmp', workspace: 'workspace.protected' } as const
