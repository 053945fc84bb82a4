import { join } from 'node:path'
import { tried } from '../base/errno.ts'
import { decode } from '../base/text.ts'
import type { Result } from '../base/types.ts'
import { fieldOf, integer, kindOf, readFields, refuseType } from '../request/fields.ts'
import { type Names, optionsOf, type Runner } from './runner.ts'
import { scriptOf } from './scripts.ts'
import type {
  FileEntry,
  FileOptions,
  Globbed,
  GlobOptions,
  GrepOptions,
  Grepped,
  Listing,
  ListOptions,
} from './types.ts'

/** Bytes of a list of names, or of matches. */
const most = 16 * 1024 * 1024
const usualLimit = 1000
const longestLine = 500

const count = integer(1, 0x7fff_ffff)
const listSchema = optionsOf({ depth: count, limit: count })
const globSchema = optionsOf({ cwd: fieldOf.string, limit: count })
const grepSchema = optionsOf({
  path: fieldOf.string,
  glob: fieldOf.string,
  ignoreCase: fieldOf.boolean,
  limit: count,
})

const types: Readonly<Record<string, FileEntry['type']>> = { d: 'directory', f: 'file', l: 'link' }

export async function list(runner: Runner, path: string, given: ListOptions): Promise<Listing> {
  const { depth = 1, limit = usualLimit, ...options } = readFields('options', given, listSchema)
  const argv = scriptOf('list', path, depth, most)
  const result = await runner.done({ names: ['list_files', path], argv, options, most })
  // Behind the letter stands the directory, which may have got "./" in front.
  const start = path.length + (path.startsWith('/') ? 2 : 4)
  const entries = namesIn(result.stdout)
    .map((name): FileEntry => ({ path: name.slice(start), type: types[name.charAt(0)] ?? 'other' }))
    .sort((one, other) => compare(one.path, other.path))
  return { entries: entries.slice(0, limit), ...endOf(result, entries.length > limit) }
}

export async function glob(runner: Runner, pattern: string, given: GlobOptions): Promise<Globbed> {
  const { cwd = '.', limit = usualLimit, ...options } = readFields('options', given, globSchema)
  const isWanted = matcherOf(pattern)
  const { paths: all, ...end } = await filesIn(runner, ['glob_files', cwd, pattern], options)
  const paths = all.filter(isWanted)
  return { paths: paths.slice(0, limit), ...end, truncated: end.truncated || paths.length > limit }
}

export async function grep(runner: Runner, pattern: string, given: GrepOptions): Promise<Grepped> {
  const {
    path = '.',
    glob,
    ignoreCase = false,
    limit = usualLimit,
    ...options
  } = readFields('options', given, grepSchema)
  const isWanted = glob === undefined ? () => true : matcherOf(glob.includes('/') ? glob : `**/${glob}`)
  const names = ['grep_files', path, pattern] as const
  const found = await filesIn(runner, names, options)
  const isFile = found.paths.includes('')
  const searched = isFile ? [path] : found.paths.filter(isWanted)
  const stdin = Buffer.from(searched.map((name) => `${name.startsWith('/') ? '' : './'}${name}\0`).join(''))
  const directory = isFile ? '.' : path
  const argv = scriptOf('grep', directory, pattern, ignoreCase ? '-i' : '-s', limit + 1, most)
  const result = await runner.done({ names, argv, options, stdin, most })
  const matches = Array.from(
    decode(result.stdout).matchAll(row),
    ([, whole, name = whole, line, text = '']) => ({
      path: isFile ? path : join(directory, name ?? ''),
      line: Number(line),
      text: text.slice(0, longestLine).replace(/\r$/, ''),
    }),
  )
  const end = endOf(result, matches.length > limit)
  return {
    matches: matches.slice(0, limit),
    truncated: end.truncated || found.truncated,
    notes: [...found.notes, ...end.notes],
  }
}

/** Sorted. An empty name: the path is that of a file. */
async function filesIn(runner: Runner, names: Names, options: FileOptions) {
  const result = await runner.done({ names, argv: scriptOf('files', names[1], most), options, most })
  const told = namesIn(result.stdout)
  // Behind a letter of git's, or "./": R is gone, S not checked out. What has changed is told of more than once.
  const [gone, there] = [true, false].map((isGone) =>
    told.filter((name) => /^[RS] /.test(name) === isGone).map(bare),
  )
  const missing = new Set(gone)
  const paths = [...new Set(there)].filter((path) => !missing.has(path)).sort(compare)
  return { paths, ...endOf(result, false) }
}

function bare(name: string): string {
  return name.slice(2)
}

function namesIn(bytes: Buffer): string[] {
  return decode(bytes).split('\0').slice(0, -1)
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0
}

/** Not every grep ends a name with NUL; where one does, it may have line ends. */
const row = /(?:([^\0]*)\0|(.*?):)(\d+):(.*)\n?/g

/** Whether that is all, and what the tools said of what they could not look at. */
function endOf({ stdout, stderr }: Result<Buffer>, isMore: boolean) {
  const notes = decode(stderr)
    .split('\n')
    .filter((line) => line !== '')
    .slice(0, 20)
  return { truncated: isMore || stdout.length >= most, notes }
}

function matcherOf(pattern: string): (path: string) => boolean {
  return tried(() => globMatcher(pattern)) ?? refuseType('pattern', 'a glob pattern', kindOf(pattern))
}

/** How the parts of a pattern read as a regular expression. A name may begin with a dot. */
const parts: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}

/**
 * Whether a path matches: `**` any directories, `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{a,b}`; a backslash takes the character
 * behind it as it is.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  let depth = 0
  const source = pattern
    .replace(/^\.\//, '')
    .replace(/\\(.)|\*\*\/|\*\*|[*?{},]|\[[!^]?\]?[^\]/]*\]|[^\w/]/gsu, (part, escaped) => {
      if (escaped !== undefined) return literal(escaped)
      if (part.startsWith('[') && part.length > 1)
        return `[${part
          .slice(1, -1)
          .replace(/^!/, '^')
          .replace(/[\\[\]]/g, '\\$&')}]`
      if (part === '{') depth += 1
      if (part === '{') return '(?:'
      if (part === '}' && depth > 0) depth -= 1
      else if (part === '}') return literal(part)
      if (part === '}') return ')'
      if (part === ',' && depth > 0) return '|'
      return parts[part] ?? literal(part)
    })
  const expression = new RegExp(`^${source}${')'.repeat(depth)}$`, 'su')
  return (path) => expression.test(path)
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
