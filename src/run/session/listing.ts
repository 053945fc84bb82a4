import type { DefinedFunction } from '../../policy/functions.ts'
import { bytesOf, type StatefulShell, textOf } from '../../request/state.ts'

/** What a shell has, by its own listing. */
export interface Listing {
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
/** Whose listing it is. */
interface Listed {
  readonly shell: StatefulShell
  /** dash: what the line and the session's functions define. */
  readonly defined: readonly DefinedFunction[]
}

/** As many as `request/state-code.ts` lists, and `end`. */
export const fields = 10

export function listingOf(given: readonly string[], line: Listed): Listing | undefined {
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

/**
 * Not those that a running shell cannot change, or that only serve a terminal; nor `keyword`, by which any word that looks like an
 * assignment is one, which no reader of the next line could see.
 */
const OPTION =
  /^(?:set [-+]o (?!keyword|interactive|stdin|monitor|noexec|privileged|onecmd|history|histexpand|vi$|emacs)[a-z]+|shopt -[su] (?!login_shell|restricted_shell)[a-z0-9_]+)$/
const NAME = /^[A-Za-z_]\w*$/
/** What the text calls that restores and lists a state: a line that does not name it would run it unseen. */
const CALLED =
  /^(?:__vitrine_.*|alias|builtin|command|declare|eval|export|printf|pwd|readonly|return|set|shopt|trap|umask)$/
/** Not what begins a compound command. */
const ALIAS =
  /^(?!(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|function|select|time|coproc)$)[A-Za-z0-9_.,:%+][A-Za-z0-9_.,:%+@-]*$/

/** Whether a function or an alias of this name can be there before the line begins. */
export function isFree(name: string): boolean {
  return !CALLED.test(name)
}

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
const listOf = (index: string) => String.raw`\((?:\[(?:${index})\]=(?:${QUOTED}) ?)*\)`
const LIST = listOf(String.raw`\w+|${QUOTED}`)
/** Any other index of a list without names would be evaluated. */
const NUMBERED = new RegExp(`^${listOf(String.raw`\d+`)}$`)
const DECLARATION = new RegExp(
  `declare -([-aAilnrtuxc]+) ([A-Za-z_]\\w*)(?:=(?:(${QUOTED})|(${LIST})))?\n`,
  'y',
)

/** Whether a text declares just this variable, and nothing in it would be evaluated. */
export function isDeclarationOf(text: string, name: string): boolean {
  if (text === `readonly ${name}`) return true
  const [declared] = declaredIn(`${text}\n`).entries()
  return declared?.[0] === name && declared[1].declaration === text
}

function declaredIn(listed: string): ReadonlyMap<string, Variable> {
  const found = new Map<string, Variable>()
  for (let at = 0; at < listed.length; ) {
    DECLARATION.lastIndex = at
    const [text, flags = '', name = '', one, list] = DECLARATION.exec(listed) ?? []
    if (text === undefined) return found
    at += text.length
    const value = one === undefined ? undefined : unquoted(one)
    const isText = list === undefined && /^(?:-|x)$/.test(flags)
    if (isText || isInert(flags, value, list))
      found.set(name, {
        value,
        isExported: flags.includes('x'),
        ...(!isText && { declaration: text.trimEnd() }),
      })
  }
  return found
}

/** Whether bash evaluates nothing where it declares this: of a number (-i) the name of a variable would be, and what that holds. */
function isInert(flags: string, value: string | undefined, list: string | undefined): boolean {
  if (list !== undefined) return !/[in]/.test(flags) && (flags.includes('A') || NUMBERED.test(list))
  const inert = flags.includes('i') ? /^(?:-?\d+)?$/ : flags.includes('n') ? /^(?:[A-Za-z_]\w*)?$/ : /^/
  return inert.test(value ?? '')
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
    // bash prints the attributes of a function in a line of their own behind its body.
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
