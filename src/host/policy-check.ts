import * as v from 'valibot'
import { platform } from '../base/platform.ts'
import { type Decision, type Mode, modes } from '../base/types.ts'
import type { LoadedConfig } from '../config/load.ts'
import { checkBackend } from '../config/origin.ts'
import type { RuleList } from '../policy/ruleset.ts'
import type { HostPlace } from '../request/environment.ts'
import { currentDirectory, fieldOf, oneOf, readFields } from '../request/fields.ts'
import { checkDirectory } from '../request/lookup.ts'
import { completeRequest } from '../request/request.ts'

/** A command to decide about: exactly one of `command` and `argv`. */
interface QuestionToDecide {
  readonly command?: string | undefined
  readonly argv?: readonly string[] | undefined
  /** Default: the current directory of the process. */
  readonly cwd?: string | undefined
  readonly mode: Mode
}

const schema = v.partial(
  v.strictObject({
    command: fieldOf.string,
    argv: fieldOf.arguments,
    cwd: fieldOf.string,
    mode: oneOf(...modes),
  }),
  ['command', 'argv', 'cwd'],
)

/** Probes and starts nothing. Throws INVALID_REQUEST, CONFIG_INVALID. */
export async function decideAbout(loaded: LoadedConfig, command: QuestionToDecide): Promise<Decision> {
  await checkBackend(loaded)
  const { mode, ...request } = readFields('question', command, schema)
  const { timeout_ms: timeoutMs, max_timeout_ms: maxTimeoutMs } = loaded.config.shell
  const { work, cwd } = completeRequest(request, { cwd: currentDirectory(), timeoutMs, maxTimeoutMs })
  await checkDirectory(cwd)
  const canHold = () => loaded.config.shell.sandbox
  return (await openDecider(loaded, cwd)).decide({ work, cwd, mode, canHold })
}

/** The rules in force, each with its source. Throws CONFIG_INVALID. */
export async function listRules(loaded: LoadedConfig): Promise<RuleList> {
  return (await openDecider(loaded, currentDirectory())).rules()
}

/** Imported late: the parser costs start-up time. */
async function openDecider(loaded: LoadedConfig, cwd: string) {
  const { env } = process
  const { Decider } = await import('../admit/decider.ts')
  return Decider.open({ loaded, cwd, env, place: placeOf(loaded) })
}

function placeOf({ config }: LoadedConfig): HostPlace {
  return config.shell.backend === 'docker' ? 'container' : platform
}
