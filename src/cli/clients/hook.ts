import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import type { Client, HookCall, Settings, Told } from '../../attach/client.ts'
import { clientNamed } from '../../attach/clients.ts'
import { overridesIn } from '../../attach/project.ts'
import { directoryFor, withAttached } from '../../attach/record.ts'
import { errorText, tried } from '../../base/errno.ts'
import { isTable } from '../../base/table.ts'
import { visible } from '../../base/text.ts'
import { loadConfig, openFileGate } from '../../internal.ts'
import { parseAll } from '../arguments.ts'
import { heldModeOf } from '../configuration.ts'
import { grammar } from '../grammar.ts'
import { print, tell } from '../output.ts'

/** The exit code that refuses a call, whatever else a hook says, in every client that was tried. */
const refused = 2

/** `vitrine hook CLIENT`: judges one call, which a client describes on stdin. Whatever goes wrong refuses it. */
export async function main(args: readonly string[]): Promise<number> {
  try {
    const [name, ...rest] = args
    const options = parseAll('hook', rest, grammar.hook)
    const client = clientNamed(name)
    if (!client?.call)
      throw new Error(
        name === undefined ? 'a client is missing' : `"${visible(name)}" is no client with hooks`,
      )
    const told = toldOf(readFileSync(0, 'utf8'), client)
    const call = client.call(told)
    if (!call) throw new Error(`it does not know the tool "${visible(told.tool)}" of ${client.name}`)
    const directory = directoryFor(client.name, process.env)
    if (call.kind === 'command' && call.command.includes(directory))
      return await refuseCall(
        `A command that names ${visible(directory)} is refused: say what it is to run instead.`,
        client,
      )
    const said = await refusalOf(client, call, told, heldModeOf(options) ?? 'read')
    if (said !== undefined) return await refuseCall(said, client)
    const answer =
      call.kind === 'command' && client.rewritten ? client.rewritten(told, call.command, { directory }) : {}
    return await print(`${JSON.stringify(answer)}\n`)
  } catch (error) {
    return refuseCall(`vitrine cannot judge this call, so it is refused: ${errorText(error)}`)
  }
}

async function refuseCall(said: string, client?: Client): Promise<number> {
  if (client?.refused) return print(`${JSON.stringify(client.refused(`vitrine: ${said}`))}\n`)
  await tell(said)
  return refused
}

/** Claude's names, which most clients use. */
const claudeNames = ({ cwd, tool_name: tool, tool_input: input }: Settings) => ({ cwd, tool, input })

function toldOf(text: string, client: Client): Told {
  const given: unknown = tried(() => JSON.parse(text))
  if (!isTable(given)) throw new Error('what the client says on standard input is no JSON object')
  const { cwd = process.cwd(), tool, input } = (client.told ?? claudeNames)(given)
  if (typeof cwd !== 'string' || typeof tool !== 'string' || !isTable(input))
    throw new Error('the client names no directory, tool and input')
  return { cwd, tool, input }
}

/** Some clients read another path than the file system would: they trim it, expand ~, take @ or file: off. */
const unclear = /^$|^[~@\s]|\s$|^file:|[^\S ]/

async function refusalOf(client: Client, call: HookCall, told: Told, mode: 'read' | 'workspace' | 'write') {
  const { env } = process
  const project = env['CLAUDE_PROJECT_DIR'] ?? told.cwd
  const [override] = await overridesIn(client, project, env)
  if (override !== undefined || call.kind !== 'files') return override
  const loaded = withAttached(await loadConfig({ cwd: project, env }), env)
  const judge = await openFileGate({ cwd: project, mode, env, loaded })
  for (const path of call.paths) {
    if (unclear.test(path))
      return `Refused: "${visible(path)}" may mean several places: write its absolute path.`
    const refusal = judge(path.startsWith(sep) ? path : `${told.cwd}${sep}${path}`)
    if (refusal) return `Refused: ${visible(path)} cannot be changed in ${mode} mode, as ${refusal.reason}.`
  }
  return undefined
}
