import { maxStateBytes } from '../../launch/launch.ts'
import { type DefinedFunction, isDefinitionOf, readLine } from '../../policy/functions.ts'
import {
  hasBytes,
  type LineInState,
  type SessionState,
  type StatefulShell,
  textOf,
} from '../../request/state.ts'
import { argvInState } from '../../request/state-code.ts'
import { fields, isFree, type Listing, listingOf } from './listing.ts'

interface Taken {
  readonly state: SessionState
  /** What does not carry over. */
  readonly lost: readonly string[]
}

interface Line {
  readonly shell: StatefulShell
  readonly before: SessionState
  /** dash: what the line and the session's functions define. */
  readonly defined: readonly DefinedFunction[]
}

interface Given {
  readonly shell: StatefulShell
  readonly name: string
  readonly line: string
  readonly state: SessionState
}

export function makeLine({ state, ...given }: Given): LineInState {
  const { shell, line } = given
  const isDash = shell === 'dash'
  const read = readLine(line)
  const known = Object.values(state.functions).flatMap((text) => readLine(text).functions)
  const defined = isDash ? [...known, ...read.functions] : []
  const candidates = [...new Set(defined.map(({ name }) => name))]
  const argv = argvInState({ ...given, state, candidates, isWhole: read.isWhole })
  const unread = isDash && read.readsMore ? [unreadFunctions] : []
  return {
    argv,
    taken(bytes, isHeld) {
      const found = stateBehind(bytes, { shell, before: state, defined })
      if (!found) return { state: undefined, notes: [bytes.at(-1) === 0 ? notLeft : tooLarge] }
      const lost = found.lost.length === 0 ? [] : [`The session does not keep ${found.lost.join(', ')}.`]
      // A held line is let through unasked: what it leaves must not run unheld but by words that the policy reads.
      const { functions, exported, aliases } = isHeld ? state : found.state
      return { state: { ...found.state, functions, exported, aliases }, notes: [...lost, ...unread] }
    },
  }
}

const unreadFunctions = 'Functions that "." or eval define do not carry over in sh (dash); bash keeps them.'
const notLeft =
  'The session stays as it was before this command: its shell ended before it could leave its state (by exec, a signal, or exit with a trap of its own).'
const tooLarge = `The session stays as it was before this command: its state is larger than ${maxStateBytes / 1024} KiB.`

/** More than empty fields ever are. */
const unwritten = Buffer.alloc(16)

/** The state behind a line, by the first and the last whole listing of its shell. Undefined: it has left none at its end. */
function stateBehind(bytes: Buffer, line: Line): Taken | undefined {
  // The rest of the file is as it was made.
  const used = bytes.indexOf(unwritten)
  const texts = textOf(used === -1 ? bytes : bytes.subarray(0, used)).split('\0')
  const whole: (readonly string[])[] = []
  for (let at = 0; texts[at + fields - 1] === 'end'; at += fields) whole.push(texts.slice(at, at + fields))
  const [first, last] = [whole[0], whole.at(-1)]
  if (!first || !last || first === last) return undefined
  const [base, end] = [listingOf(first, line), listingOf(last, line)]
  return base && end && difference(base, end, line)
}

/** The shell's own, which change by themselves or cannot be set. */
const OWN =
  /^(?:_|PWD|SHLVL|PPID|LINENO|RANDOM|SRANDOM|SECONDS|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|HISTCMD|E?UID|BASH.*|EPOCH\w+|COMP_\w+|SHELLOPTS)$/

function difference(base: Listing, end: Listing, line: Line): Taken {
  const { before, shell } = line
  const env: Record<string, string | null> = {}
  const variables: Record<string, string> = {}
  const declarations: Record<string, string> = {}
  // Bytes that are no UTF-8 cannot be passed on as they are.
  const lost: string[] = []
  for (const name of new Set([
    ...base.variables.keys(),
    ...end.variables.keys(),
    ...Object.keys(before.env),
  ])) {
    if (OWN.test(name)) continue
    const [was, is] = [base.variables.get(name), end.variables.get(name)]
    const given = before.env[name]
    const isSame =
      was?.value === is?.value && was?.isExported === is?.isExported && was?.declaration === is?.declaration
    if (isSame) {
      if (given !== undefined && (is || given === null)) env[name] = given
      continue
    }
    if (is?.isExported && is.value !== undefined) env[name] = is.value
    else if (was?.isExported || given === null) env[name] = null
    if (is?.declaration !== undefined && hasBytes(is.declaration)) lost.push(`the variable ${name}`)
    else if (is?.declaration !== undefined) declarations[name] = is.declaration
    if (is && !is.isExported && is.value !== undefined && !is.declaration?.startsWith('declare'))
      variables[name] = is.value
  }
  const functions = functionsOf(base, end, line)
  const aliases = [...end.aliases]
  const unfree = aliases.filter(([name]) => !isFree(name))
  if (hasBytes(end.cwd)) lost.push('the directory')
  return {
    state: {
      cwd: end.cwd === base.cwd || hasBytes(end.cwd) ? before.cwd : end.cwd,
      umask: end.umask === base.umask ? null : end.umask,
      env,
      variables,
      declarations,
      options: [...end.options].filter((option) => !base.options.has(option)),
      functions: functions.carried,
      exported: end.exported.filter((name) => name in functions.carried),
      aliases: Object.fromEntries(aliases.filter(([name]) => isFree(name))),
      shell,
      mode: before.mode,
    },
    lost: [...lost, ...functions.lost, ...unfree.map(([name]) => `the alias ${name}`)],
  }
}

function functionsOf(base: Listing, end: Listing, { shell, defined }: Line) {
  const carried: Record<string, string> = {}
  const lost: string[] = []
  for (const [name, text] of end.functions) {
    if (name.startsWith('__vitrine_') || (shell === 'bash' && base.functions.get(name) === text)) continue
    const all = shell === 'dash' ? defined.filter((each) => each.name === name) : []
    const isUnsure = new Set(all.map((each) => each.text)).size > 1 && all.some(({ isMaybe }) => isMaybe)
    if (isUnsure || !isFree(name) || hasBytes(text) || !isDefinitionOf(text, name))
      lost.push(`the function ${name}`)
    else carried[name] = text
  }
  return { carried, lost }
}
