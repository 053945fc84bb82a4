import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** `exitCode.refused` of output.ts, which is loaded after this file. */
const refused = 125

type Require = (name: string) => unknown
type Compiled = (
  exports: unknown,
  require: Require,
  module: NodeModule,
  file: string,
  directory: string,
) => void

/** Node's class of modules; what @types/node leaves out: https://nodejs.org/api/module.html. */
interface Modules {
  new (file: string, parent: NodeModule): NodeModule
  /** `require.cache` */
  readonly _cache: Record<string, NodeModule | undefined>
}

/**
 * Caches the compiled code of the command line's files: compiling them takes longer than Node's own start.
 * Being in the package, the cache is as writable as the files.
 * Before Node 22, each `command` has a cache of its own, because it runs other functions.
 * @param entry the module of dist/cli.cjs: its `require` is replaced, and its directory is dist/
 */
export function useCompileCache(command: string, entry: NodeModule): void {
  const { arch, env, version, versions } = process
  if (env['NODE_DISABLE_COMPILE_CACHE'] || versions['bun'] || versions['deno']) return
  const root = dirname(dirname(entry.filename))
  const directory = join(root, '.compiled')
  const { enableCompileCache } = nodesCache()
  if (!enableCompileCache)
    loadOwnFiles(entry, (file) => join(directory, `${basename(file)}.${command}.${version}-${arch}`))
  else if (isOurs(root)) enableCompileCache(directory)
}

interface NodesCache {
  readonly enableCompileCache?: (directory: string) => void
}

/** Since Node 22. */
function nodesCache(): NodesCache {
  const modules: object = process.getBuiltinModule('node:module')
  return modules
}

/** Root writes nothing into another user's installation: that user could not remove it. */
function isOurs(root: string): boolean {
  return process.geteuid === undefined || statSync(root).uid === process.geteuid()
}

/** For Node 20, which has no cache of its own; its search for a file takes as long as reading it. */
function loadOwnFiles(entry: NodeModule, keptAs: (file: string) => string): void {
  const Module = entry.constructor as unknown as Modules
  const { Script } = process.getBuiltinModule('node:vm')
  const fresh = new Map<string, () => Buffer>()
  // At exit the data holds the functions that have run: too few of them where vitrine refused.
  process.once('exit', (code) => {
    if (code !== refused) for (const [kept, data] of fresh) keep(kept, data())
  })
  const search: Require = entry.require.bind(entry)
  const requireFrom = (directory: string) => (name: string) =>
    name.startsWith('.') ? load(join(directory, name)) : search(name)
  const load: Require = (file) => {
    const loaded = Module._cache[file]
    if (loaded) return loaded.exports
    const code = readFileSync(file)
    const kept = keptAs(file)
    const known = keptCode(kept, code)
    // Such as execa's: import() in a Script is experimental in Node 20, which warns.
    if (!known && code.includes('import(')) return search(file)
    const { cachedData, wrapped } = known ?? { wrapped: Buffer.concat([head, code, tail]) }
    const options = { filename: file, lineOffset: -1, ...(cachedData && { cachedData }) }
    // The build has made the files ASCII.
    const script = new Script(wrapped.toString('latin1'), options)
    if (!cachedData || script.cachedDataRejected)
      fresh.set(kept, () => Buffer.concat([script.createCachedData(), wrapped]))
    const own = new Module(file, entry)
    Module._cache[file] = own
    const run: Compiled = script.runInThisContext()
    run.call(own.exports, own.exports, requireFrom(dirname(file)), own, file, dirname(file))
    own.loaded = true
    return own.exports
  }
  entry.require = requireFrom(dirname(entry.filename))
}

const head = Buffer.from('(function (exports, require, module, __filename, __dirname) {\n')
const tail = Buffer.from('\n})')

/** V8 checks only the length of the source, so the file holds the wrapped source after the data. */
function keptCode(kept: string, code: Buffer): { cachedData: Buffer; wrapped: Buffer } | undefined {
  try {
    const bytes = readFileSync(kept)
    const at = bytes.length - tail.length - code.length
    const end = at - head.length
    if (end <= 0 || bytes.compare(code, 0, code.length, at, at + code.length) !== 0) return undefined
    return { cachedData: bytes.subarray(0, end), wrapped: bytes.subarray(end) }
  } catch {
    return undefined
  }
}

/** Ignores failures: without a cache the next start only takes longer. */
function keep(kept: string, bytes: Buffer): void {
  const fresh = `${kept}.${process.pid}`
  try {
    if (!isOurs(dirname(dirname(kept)))) return
    mkdirSync(dirname(kept), { recursive: true })
    try {
      // V8 does not verify the data: after a power failure it must be whole or absent.
      writeFileSync(fresh, bytes, { flag: 'wx', flush: true })
      renameSync(fresh, kept)
    } finally {
      rmSync(fresh, { force: true })
    }
  } catch {}
}
