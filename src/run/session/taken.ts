import { maxStateBytes } from '../../launch/launch.ts'
import { type DefinedFunction, isDefinitionOf, readLine } from '../../policy/functions.ts'
import {
  bytesOf,
  type LineInState,
  type SessionState,
  type StatefulShell,
  textOf,
} from '../../request/state.ts'
import { argvInState } from '../../request/state-code.ts'

/** What a shell has, by its own listing. */
interface Listing {
  readonly cwd: string
  readonly umask: string
  readonly options: ReadonlySet<string>
  readonly variables: ReadonlyMap<string, Variable>
  readonly functions: ReadonlyMap<string, string>
  readonly exported: readonly string[]
  readonly aliases: ReadonlyMap<string, string>
}

interface Variable {
  /** Undefined: it has none, or `declaration` says it. */
  readonly value: string | undefined
  readonly isExported: boolean
  /** Of one that is more than a text. */
  readonly declaration?: string
}

interface Taken {
  readonly state: SessionState
  /** Functions that do not carry over. */
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

/** As many as the listing of `request/state-code.ts`, and `end`. */
const fields = 10

/** The state behind a line, by the first and the last whole listing of its shell. Undefined: it has left none at its end. */
function stateBehind(bytes: Buffer, line: Line): Taken | undefined {
  const texts = textOf(bytes).split('\0')
  const whole: (readonly string[])[] = []
  for (let at = 0; texts[at + fields - 1] === 'end'; at += fields) whole.push(texts.slice(at, at + fields))
  const [first, last] = [whole[0], whole.at(-1)]
  if (!first || !last || first === last) return undefined
  const [base, end] = [listingOf(first, line), listingOf(last, line)]
  return base && end && difference(base, end, line)
}

function listingOf(given: readonly string[], line: Line): Listing | undefined {
  const [
    pwd = '',
    umask = '',
    options = '',
    variables = '',
    exports = '',
    fixed = '',
    functions = '',
    flags = '',
    aliases = '',
  ] = given
  const cwd = pwd.replace(/\n$/, '')
  if (!cwd.startsWith('/') || !/^[0-7]{3,4}\n$/.test(umask)) return undefined
  const isBash = line.shell === 'bash'
  return {
    cwd,
    umask: umask.trim(),
    options: new Set(options.split('\n').filter((option) => OPTION.test(option))),
    variables: isBash ? declaredIn(variables) : assignedIn(variables, namesIn(exports), namesIn(fixed)),
    functions: isBash ? bodiesIn(functions, flags) : new Map(kept(functions, line.defined)),
    exported: isBash ? [...flags.matchAll(/^declare -f\w*x\w* (\S+)$/gm)].map(([, name = '']) => name) : [],
    aliases: new Map(quotedIn(aliases, isBash ? /^alias (?:-- )?/ : /^/, ALIAS)),
  }
}

/** Not those that a running shell cannot change, or that only serve a terminal. */
const OPTION =
  /^(?:set [-+]o (?!interactive|stdin|monitor|noexec|privileged|onecmd|history|histexpand|vi$|emacs)[a-z]+|shopt -[su] (?!login_shell|restricted_shell)[a-z0-9_]+)$/
const NAME = /^[A-Za-z_]\w*$/
/** Not what begins a compound command. */
const ALIAS =
  /^(?!(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc)$)[A-Za-z0-9_.,:%+][A-Za-z0-9_.,:%+@-]*$/

function namesIn(listed: string): ReadonlySet<string> {
  return new Set([...listed.matchAll(/^(?:export|readonly) ([A-Za-z_]\w*)/gm)].map(([, name = '']) => name))
}

/** `NAME='VALUE'` each, as dash and bash quote a value: no expansion in it. */
const VALUE = /(?:'[^']*'|"[^"$`\\]*"|\\[\s\S])*/y

function* quotedIn(listed: string, before: RegExp, names: RegExp): Generator<readonly [string, string]> {
  for (let at = 0; at < listed.length; ) {
    const equals = listed.indexOf('=', at)
    if (equals === -1) return
    VALUE.lastIndex = equals + 1
    const [value = ''] = VALUE.exec(listed) ?? []
    const name = listed.slice(at, equals).replace(before, '')
    at = equals + 1 + value.length
    // Anything but a newline behind it is none of these: what follows is not known.
    if (listed[at++] !== '\n') return
    if (names.test(name)) yield [name, value.replace(/'([^']*)'|"([^"]*)"|\\([\s\S])/g, '$1$2$3')]
  }
}

function assignedIn(
  listed: string,
  exported: ReadonlySet<string>,
  fixed: ReadonlySet<string>,
): ReadonlyMap<string, Variable> {
  const found = [...quotedIn(listed, /^/, NAME)].map(([name, value]) => {
    const isExported = exported.has(name)
    const declaration = fixed.has(name) ? { declaration: `readonly ${name}` } : {}
    return [name, { value, isExported, ...declaration }] as const
  })
  return new Map(found)
}

/** A value as `declare -p` writes it: quotes without an expansion, or a list of such. */
const QUOTED = String.raw`"(?:[^"\\$\x60]|\\[\s\S])*"|\$'(?:[^'\\]|\\[\s\S])*'`
const LIST = String.raw`\((?:\[(?:\w+|${QUOTED})\]=(?:${QUOTED}) ?)*\)`
const DECLARATION = new RegExp(
  `declare -([-aAilnrtuxc]+) ([A-Za-z_]\\w*)(?:=(?:(${QUOTED})|(${LIST})))?\n`,
  'y',
)

function declaredIn(listed: string): ReadonlyMap<string, Variable> {
  const found = new Map<string, Variable>()
  for (let at = 0; at < listed.length; ) {
    DECLARATION.lastIndex = at
    const [text, flags = '', name = '', one, list] = DECLARATION.exec(listed) ?? []
    if (text === undefined) return found
    at += text.length
    const value = one === undefined ? undefined : unquoted(one)
    const isText = list === undefined && /^(?:-|x)$/.test(flags)
    // A number or the name of a variable would be evaluated.
    const isSafe =
      !/[in]/.test(flags) || (list === undefined && /^(?:-?\d+|[A-Za-z_]\w*)?$/.test(value ?? ''))
    if (isText || isSafe)
      found.set(name, {
        value,
        isExported: flags.includes('x'),
        ...(!isText && { declaration: text.trimEnd() }),
      })
  }
  return found
}

const escapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
}

/** What bash has put in quotes, bytes as `textOf` has them. */
function unquoted(text: string): string {
  if (text.startsWith('"')) return text.slice(1, -1).replace(/\\([\s\S])/g, '$1')
  const bytes = text.slice(2, -1).replace(/\\([0-7]{1,3}|[\s\S])/g, (_, escaped: string) => {
    if (!/^[0-7]/.test(escaped)) return escapes[escaped] ?? escaped
    const byte = Number.parseInt(escaped, 8)
    return String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte)
  })
  return textOf(bytesOf(bytes))
}

/** By `declare -f` and `declare -F`, in the same order. A name may stand at the beginning of a line of another body, too. */
function bodiesIn(listed: string, flags: string): ReadonlyMap<string, string> {
  const names = [...flags.matchAll(/^declare -f\w* (\S+)$/gm)].map(([, name = '']) => name)
  const found = new Map<string, string>()
  let rest = listed
  names.forEach((name, at) => {
    const next = names[at + 1]
    const end = next === undefined ? rest.length : rest.indexOf(`\n${next} () \n`) + 1
    // Its attributes stand behind one that has any.
    found.set(name, rest.slice(0, end).replace(/\n(?:declare -f\w+ \S+\n)?$/, ''))
    rest = rest.slice(end)
  })
  return found
}

/** dash cannot print a function: of those that `command -V` still knows, the text that has defined it. */
function* kept(listed: string, defined: readonly DefinedFunction[]): Generator<readonly [string, string]> {
  const known = new Set([...listed.matchAll(/^(\w+) is a shell function$/gm)].map(([, name = '']) => name))
  for (const { name, text } of defined) if (known.has(name)) yield [name, text]
}

/** The shell's own, which change by themselves or cannot be set. */
const OWN =
  /^(?:_|PWD|SHLVL|PPID|LINENO|RANDOM|SRANDOM|SECONDS|PIPESTATUS|FUNCNAME|DIRSTACK|GROUPS|HISTCMD|E?UID|BASH.*|EPOCH\w+|COMP_\w+|SHELLOPTS)$/

function difference(base: Listing, end: Listing, line: Line): Taken {
  const { before, shell } = line
  const env: Record<string, string | null> = {}
  const variables: Record<string, string> = {}
  const declarations: Record<string, string> = {}
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
    if (is?.declaration !== undefined) declarations[name] = is.declaration
    if (is && !is.isExported && is.value !== undefined && !is.declaration?.startsWith('declare'))
      variables[name] = is.value
  }
  const functions = functionsOf(base, end, line)
  return {
    state: {
      cwd: end.cwd === base.cwd ? before.cwd : end.cwd,
      umask: end.umask === base.umask ? null : end.umask,
      env,
      variables,
      declarations,
      options: [...end.options].filter((option) => !base.options.has(option)),
      functions: functions.carried,
      exported: end.exported.filter((name) => name in functions.carried),
      aliases: Object.fromEntries(end.aliases),
      shell,
      mode: before.mode,
    },
    lost: functions.lost,
  }
}

function functionsOf(base: Listing, end: Listing, { shell, defined }: Line) {
  const carried: Record<string, string> = {}
  const lost: string[] = []
  for (const [name, text] of end.functions) {
    if (name.startsWith('__vitrine_') || (shell === 'bash' && base.functions.get(name) === text)) continue
    const all = shell === 'dash' ? defined.filter((each) => each.name === name) : []
    const isUnsure = new Set(all.map((each) => each.text)).size > 1 && all.some(({ isMaybe }) => isMaybe)
    if (isUnsure || !isDefinitionOf(text, name)) lost.push(`the function ${name}`)
    else carried[name] = text
  }
  return { carried, lost }
}
