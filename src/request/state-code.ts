import { bytesOf, hasBytes, type SessionState, type StatefulShell } from './state.ts'

/**
 * The shell text that gives a line the state of its session, and takes it back. The shell lists what it has twice: before the state is
 * restored, and at its end; `run/session/taken.ts` reads the difference.
 */
interface LineInState {
  readonly shell: StatefulShell
  /** argv[0] of the shell, which is `$0`. */
  readonly name: string
  readonly line: string
  readonly state: SessionState
  /** dash: functions that the line may define or remove. */
  readonly candidates: readonly string[]
  /** The line can stand in braces, where errors name no `eval`. */
  readonly isWhole: boolean
}

/** The kernel's MAX_ARG_STRLEN (linux/binfmts.h), with room for what stands around a part. */
const maxPart = 32 * 4096 - 4096

/** Descriptor 3 is closed while the line runs: what it starts cannot hold or change the state's file. */
export function argvInState(given: LineInState): readonly string[] {
  const { name, line, state } = given
  const parts = partsOf(restoring(given))
  const all = parts.map((_, at) => `\${${at + 1}}`).join('')
  const traced = state.options.filter(isTracing).map((option) => `${option}; `)
  // A blank first: `;;` would be one word with the line's own.
  const begin = `set -- ; ${traced.join('')}`
  const inBraces = canStandInBraces(given)
  const body = inBraces ? `${begin}${line}` : `eval "\\\\${begin}\${${parts.length + 1}}"`
  // A trap of the line's own for EXIT replaces ours.
  const mayTrap = /trap/.test(line + Object.values(state.functions).join(''))
  const script = `eval "${all}";{ ${body}\n} 3>&-${mayTrap ? `\n${leaving}` : ''}`
  return [name, '-c', script, name, ...parts, ...(inBraces ? [] : [line])]
}

/** What stands in braces is read at once, before aliases and options are restored that change how it reads. */
function canStandInBraces({ line, state, isWhole }: LineInState): boolean {
  const readsOtherwise = /shopt|alias|posix/
  const isPlain = !readsOtherwise.test(line) && !state.options.some((option) => readsOtherwise.test(option))
  return isWhole && isPlain && Object.keys(state.aliases).length === 0 && Buffer.byteLength(line) < maxPart
}

/** Says nothing, whatever the line has set: tracing goes to where errors go. */
const leaving = '{ __vitrine_state "$?"; } 2>/dev/null >&3'

const listing: Readonly<Record<StatefulShell, (candidates: readonly string[]) => readonly string[]>> = {
  // Each is a field. As many as `fields` of run/session/taken.ts.
  dash: (candidates) => [
    'pwd',
    'umask',
    'set +o',
    'set',
    'export -p',
    'readonly -p',
    candidates.map((name) => `command -V ${name}||:`).join(';') || ':',
    ':',
    'alias',
  ],
  bash: () =>
    [
      'pwd',
      'umask',
      'set +o;builtin shopt -p||:',
      'declare -p',
      ':',
      ':',
      'declare -f',
      'declare -F',
      'alias -p',
    ].map((command) => `builtin ${command}`),
}

function restoring({ shell, state, candidates }: LineInState): string {
  const by = shell === 'bash' ? 'builtin' : 'command'
  const fields = listing[shell](candidates).map((command) => `${command}||:;${by} printf '\\0'`)
  const { umask, env, variables, declarations, options, functions, exported, aliases } = state
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${quoted(value, shell)}`)
  const bytes = Object.entries(env).flatMap(([name, value]) =>
    value !== null && hasBytes(value) ? [`export ${name}=${quoted(value, shell)}`] : [],
  )
  const named = Object.entries(aliases).map(([name, value]) => `alias ${name}=${quoted(value, shell)}`)
  const defined = Object.values(functions)
  return [
    `__vitrine_state() { ${fields.join(';')};${by} printf 'end\\0';return "$1"; }`,
    '{ __vitrine_state 0; } 2>/dev/null >&3',
    ...(umask === null ? [] : [`umask ${umask}`]),
    ...assigned,
    ...bytes,
    ...Object.values(declarations),
    // dash expands them where a function is defined, bash has done it in the text of one.
    ...(shell === 'dash' ? [...named, ...defined] : [...defined, ...named]),
    ...exported.map((name) => `export -f ${name}`),
    `trap '${leaving}' EXIT`,
    ...options.filter((option) => !isTracing(option)),
    '',
  ].join('\n')
}

/** It would trace what stands before the line. */
function isTracing(option: string): boolean {
  return option === 'set -o xtrace' || option === 'set -o verbose'
}

/** One word of a shell. */
export function quoted(text: string, shell: StatefulShell): string {
  if (!hasBytes(text)) return `'${text.replaceAll("'", "'\\''")}'`
  // A substitution drops the newlines at its end.
  const [, head = '', newlines = ''] = /^([\s\S]*?)(\n*)$/.exec(text) ?? []
  const octal = [...bytesOf(head)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join('')
  return shell === 'bash'
    ? `$'${octal.replaceAll('\\0', '\\')}'$'${'\\n'.repeat(newlines.length)}'`
    : `"$(command printf %b '${octal}')"'${newlines}'`
}

/** Cut between characters, each short enough for one argument. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  let rest = Buffer.from(text)
  while (rest.length > maxPart) {
    let end = maxPart
    while (((rest[end] ?? 0) & 0xc0) === 0x80) end--
    parts.push(rest.toString('utf8', 0, end))
    rest = rest.subarray(end)
  }
  return [...parts, rest.toString()]
}
