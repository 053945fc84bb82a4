import { join } from 'node:path'
import { homeOf } from '../base/paths.ts'
import { quoted } from '../base/text.ts'
import type { Client, HookCall, Place, Settings, Told } from './client.ts'
import type { Piece } from './pieces.ts'
import { judgingScript, startingScript, unanswered } from './scripts.ts'

/**
 * Codex: a hook before each call has `vitrine sh` run the line, and judges the paths of patches; calls of Code Mode and of spawned agents
 * come to it, too. Codex skips a hook, without a word, until its user trusts it by its hash.
 */
export const codex: Client = {
  name: 'codex',
  seen: '0.171.0',
  pieces: (place) => {
    const { directory, mode, program } = place
    const hook = judgingScript([...program, 'hook', 'codex', '--mode', mode])
    const start = startingScript([...program, 'sh', '--mode', mode])
    return [
      {
        kind: 'file',
        file: join(directory, 'bash'),
        mode: 0o755,
        text: start,
        what: `the shell, in ${mode} mode`,
      },
      { kind: 'file', file: hookFile(place), mode: 0o755, text: hook, what: 'the hook' },
      {
        kind: 'file',
        file: rulesFile(place),
        mode: 0o600,
        text: rules(place),
        what: 'a rule that allows the shell',
      },
      {
        kind: 'toml',
        file: configFile(place),
        text: hookTables(place),
        what: 'hooks.PreToolUse, for every tool',
      },
      ...(place.managed ? [pinned] : []),
    ]
  },
  afterwards: async (place) => [await trusted(place)],
  call: callOf,
  rewritten: ({ cwd }, command, { directory }) => {
    const held = ['exec', join(directory, 'bash'), '--project', cwd, '--', '-c', command]
      .map(quoted)
      .join(' ')
    // Behind exec nothing runs, but Codex judges it: by the user's rules, and its own. In a line of its own: a & would take exec with it.
    const updatedInput = { command: `${held}\n${command}` }
    return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow', updatedInput } }
  },
  project: {
    files: ['.codex/config.toml', '.codex/hooks.json'],
    isUpward: true,
    users: (env) => join(homeFor(env), 'config.toml'),
    switchesOff,
  },
  notes: ({ managed }) =>
    managed
      ? []
      : [
          'A project that you let Codex trust can switch hooks off ("[features] hooks = false"), and its commands then run unheld. ' +
            '"vitrine doctor" there names it; "vitrine attach codex --managed" (as root, for every user of this machine) closes it.',
        ],
}

function homeFor(env: Place['env']): string {
  return env['CODEX_HOME'] || join(homeOf(env), '.codex')
}

const configFile = ({ env }: Place) => join(homeFor(env), 'config.toml')
const hookFile = ({ directory }: Place) => join(directory, 'hook')

const rulesFile = ({ env }: Place) => join(homeFor(env), 'rules', 'vitrine.rules')

/** The rest of each line has to be allowed by itself. */
function rules({ directory }: Place): string {
  return `prefix_rule(pattern = ["exec", ${JSON.stringify(join(directory, 'bash'))}], decision = "allow")\n`
}

/** No project's settings come before these. */
const pinned: Piece = {
  ...{ kind: 'toml', file: '/etc/codex/requirements.toml', text: '[features]\nhooks = true\n' },
  what: 'features.hooks stays on for every user',
}

/** Codex lets a call pass whose hook takes longer than its time, or fails by another exit code than 2. */
const commandOf = (place: Place) => `timeout -k 1 20 ${quoted(hookFile(place))} || ${unanswered}`

function hookTables(place: Place): string {
  return `[[hooks.PreToolUse]]
matcher = "*"

[[hooks.PreToolUse.hooks]]
type = "command"
command = ${JSON.stringify(commandOf(place))}
timeout = 60
`
}

interface ListedHook {
  readonly key: string
  readonly command?: string
  readonly currentHash: string
}

/** The user's trust in the hook, as Codex itself names it. */
async function trusted(place: Place): Promise<Piece> {
  // Imported late: the shell starts without it.
  const { askCodex } = await import('./codex-server.ts')
  const { data } = (await askCodex(place, 'hooks/list', { cwds: [homeOf(place.env)] })) as {
    readonly data: readonly { readonly hooks: readonly ListedHook[] }[]
  }
  const ours = data.flatMap(({ hooks }) => hooks).find(({ command }) => command === commandOf(place))
  if (!ours)
    throw new Error(
      'Codex does not list the hook that was written: is this version of Codex known to vitrine?',
    )
  const text = `[hooks.state.${JSON.stringify(ours.key)}]\ntrusted_hash = ${JSON.stringify(ours.currentHash)}\n`
  return { kind: 'toml', file: configFile(place), text, what: 'hooks.state, by which Codex runs the hook' }
}

/** Tools without an effect on files: the rest of Codex's own are refused. Those of MCP servers have a client of their own. */
const harmless =
  /^(mcp__|collaboration|clock|web_search|(update_plan|view_image|request_user_input|tool_search|followup_task)$|(get|create|update)_goal$|(spawn|wait|close|resume|list|interrupt)_agents?$|send_(input|message)$)/

function callOf({ tool, input }: Told): HookCall | undefined {
  const { command } = input
  if (tool === 'Bash' && typeof command === 'string') return { kind: 'command', command }
  const paths = tool === 'apply_patch' && typeof command === 'string' ? pathsIn(command) : []
  if (paths.length > 0) return { kind: 'files', paths }
  return harmless.test(tool) ? { kind: 'other' } : undefined
}

/** The files that a patch adds, updates, deletes or moves to. */
export function pathsIn(patch: string): readonly string[] {
  const lines = patch.matchAll(/^\s*\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.*?)\s*$/gm)
  return [...lines].map(([, path = '']) => path)
}

function switchesOff(settings: Settings): readonly string[] {
  const features: Settings = Object(settings['features'])
  const off = ['hooks', 'codex_hooks'].filter((name) => features[name] === false)
  return [
    ...off.map((name) => `"features.${name}" = false`),
    ...('hooks' in settings ? ['"hooks", which may change a call after vitrine has judged it'] : []),
  ]
}
