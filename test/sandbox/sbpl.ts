/** Reads profiles of sandbox-exec and judges by them: the last rule that matches decides. A stand-in, for there is none off macOS. */

type Expression = string | readonly Expression[]

/** What a process wants. */
export interface Attempt {
  readonly operation: string
  readonly path?: string
  /** What the path is. Default: a file. */
  readonly directory?: boolean
  /** The name of a Mach service. */
  readonly service?: string
  readonly sysctl?: string
  /** Of network operations: the path of a unix socket, or undefined for TCP and UDP. */
  readonly socket?: string
  /** Of signals. */
  readonly target?: 'same-sandbox' | 'others'
}

export interface Rules {
  readonly rules: readonly Rule[]
}

interface Rule {
  readonly action: 'allow' | 'deny'
  readonly operations: readonly string[]
  readonly filters: readonly (readonly Expression[])[]
}

/**
 * What macOS 14 to 26 has of the operations that the profile may name, and nothing else: sandbox-exec refuses a whole profile
 * for one unbound name. There is no `file-link*`, and `file-write*` contains neither of file-link, file-clone and file-mknod.
 */
const operationNames = new Set(
  `default file-write* file-write-create file-write-data file-write-unlink file-write-setugid file-link file-clone file-mknod
   file-mount file-unmount file-read-data file-read-xattr mach-lookup mach-priv* lsopen appleevent-send job-creation signal
   ipc-posix* ipc-posix-shm-read* user-preference-write sysctl-write iokit-set-properties nvram*
   network* network-inbound network-bind network-outbound`.split(/\s+/),
)

/** Throws on everything that it does not know. */
export function readProfile(text: string, parameters: Readonly<Record<string, string>>): Rules {
  const rules: Rule[] = []
  for (const expression of parse(text)) {
    if (!Array.isArray(expression)) throw new Error(`not a rule: ${String(expression)}`)
    const [action, ...rest] = expression
    if (action === 'version') continue
    if (action !== 'allow' && action !== 'deny') throw new Error(`not a rule: ${String(action)}`)
    const operations = rest.filter((item) => typeof item === 'string')
    const unbound = operations.find((name) => !operationNames.has(name))
    if (unbound !== undefined) throw new Error(`unbound variable: ${unbound}`)
    const filters = rest
      .filter((item): item is readonly Expression[] => Array.isArray(item))
      .filter(([name]) => name !== 'with')
      .map((filter) => substitute(filter, parameters))
    rules.push({ action, operations, filters })
  }
  return { rules }
}

function parse(text: string): Expression[] {
  const tokens = text.match(/[()]|#?"[^"]*"|[^\s()"]+/g) ?? []
  const root: Expression[] = []
  const stack: Expression[][] = [root]
  for (const token of tokens) {
    if (token === '(') {
      const list: Expression[] = []
      stack.at(-1)?.push(list)
      stack.push(list)
    } else if (token === ')') stack.pop()
    else stack.at(-1)?.push(token)
  }
  if (stack.length !== 1) throw new Error('parentheses do not match')
  return root
}

function substitute(
  filter: readonly Expression[],
  parameters: Readonly<Record<string, string>>,
): readonly Expression[] {
  return filter.map((item) => {
    if (!Array.isArray(item)) return item
    if (item[0] !== 'param') return substitute(item, parameters)
    const value = parameters[unquote(item[1])]
    if (value === undefined) throw new Error(`no parameter ${unquote(item[1])}`)
    return `"${value}"`
  })
}

function unquote(text: Expression | undefined): string {
  return String(text).replaceAll('"', '')
}

export function evaluate({ rules }: Rules, attempt: Attempt): 'allow' | 'deny' {
  return rules.findLast((rule) => matches(rule, attempt))?.action ?? 'deny'
}

function matches({ operations, filters }: Rule, attempt: Attempt): boolean {
  const named = operations.some(
    (operation) =>
      operation === 'default' ||
      operation === attempt.operation ||
      (operation.endsWith('*') && attempt.operation.startsWith(operation.slice(0, -1))),
  )
  return named && (filters.length === 0 || filters.some((filter) => holds(filter, attempt)))
}

/** A character for each byte: the kernel's expressions are over bytes. */
function bytesOf(path: string): string {
  return Buffer.from(path).toString('latin1')
}

function listOf(expression: Expression | undefined): readonly Expression[] {
  if (!Array.isArray(expression)) throw new Error(`not a filter: ${String(expression)}`)
  return expression
}

function holds([name, value, inner, ...rest]: readonly Expression[], attempt: Attempt): boolean {
  switch (name) {
    case 'literal':
      return attempt.path === unquote(value)
    case 'subpath':
      return attempt.path === unquote(value) || attempt.path?.startsWith(`${unquote(value)}/`) === true
    case 'regex':
      return new RegExp(String(value).replace(/^#"|"$/g, '')).test(bytesOf(attempt.path ?? ''))
    case 'vnode-type':
      if (value !== 'DIRECTORY') throw new Error(`unknown type ${String(value)}`)
      return attempt.directory === true
    case 'require-all':
      return [value, inner, ...rest].every((filter) => filter === undefined || holds(listOf(filter), attempt))
    case 'require-not':
      return !holds(listOf(value), attempt)
    case 'global-name':
      return attempt.service === unquote(value)
    case 'sysctl-name':
      return attempt.sysctl === unquote(value)
    case 'target':
      return attempt.target === value
    case 'remote':
      if (value !== 'unix-socket') throw new Error(`unknown remote ${String(value)}`)
      return attempt.socket !== undefined && (!Array.isArray(inner) || attempt.socket === unquote(inner[1]))
    default:
      throw new Error(`unknown filter ${String(name)}`)
  }
}
