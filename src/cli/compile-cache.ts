import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

type Load = (module: NodeModule, file: string) => void
type Compiled = (
  exports: unknown,
  require: unknown,
  module: NodeModule,
  file: string,
  directory: string,
) => void

/** Of node:module, what @types/node leaves out: https://nodejs.org/api/module.html, `require.extensions`. */
interface NodeModules {
  readonly enableCompileCache?: (directory: string) => void
  readonly _extensions: Record<string, Load>
}

/**
 * Caches the compiled code of the command line's files: compiling them takes longer than Node's own start.
 * Being in the package, the cache is as writable as the files. `command`: each runs, so caches, other functions.
 */
export function useCompileCache(command: string): void {
  const { env, versions } = process
  if (env['NODE_DISABLE_COMPILE_CACHE'] || versions['bun'] || versions['deno']) return
  const modules = process.getBuiltinModule('node:module') as unknown as NodeModules
  const directory = join(root, '.compiled')
  if (modules.enableCompileCache) {
    if (isOurs()) modules.enableCompileCache(directory)
  } else {
    const suffix = `.${command}.${process.version}-${process.arch}`
    modules._extensions['.cjs'] = loader(modules, (file) => join(directory, basename(file) + suffix))
  }
}

/** The package's directory, from dist/. */
const root = dirname(__dirname)

/** Root writes nothing into another user's installation: that user could not remove it. */
function isOurs(): boolean {
  return process.geteuid === undefined || statSync(root).uid === process.geteuid()
}

/** For Node 20, which has no cache of its own. */
function loader({ _extensions }: NodeModules, keptAs: (file: string) => string): Load {
  const { Script } = process.getBuiltinModule('node:vm')
  const fresh = new Map<string, () => Buffer>()
  // At exit the data holds the functions that have run.
  process.once('exit', () => fresh.forEach((data, kept) => void keep(kept, data())))
  return (module, file) => {
    const code = readFileSync(file)
    // Such as execa's: import() in a Script is experimental in Node 20, which warns.
    if (code.includes('import(')) return _extensions['.js']?.(module, file)
    const kept = keptAs(file)
    const cachedData = keptData(kept, code)
    const script = new Script(`(function (exports, require, module, __filename, __dirname) {\n${code}\n})`, {
      filename: file,
      lineOffset: -1,
      ...(cachedData && { cachedData }),
    })
    if (!cachedData || script.cachedDataRejected)
      fresh.set(kept, () => Buffer.concat([script.createCachedData(), code]))
    const run: Compiled = script.runInThisContext()
    const require = (name: string) => module.require(name)
    run.call(module.exports, module.exports, require, module, file, dirname(file))
  }
}

/** V8 checks only the length of the source, so the file holds the source after the data. */
function keptData(kept: string, code: Buffer): Buffer | undefined {
  try {
    const bytes = readFileSync(kept)
    const end = bytes.length - code.length
    return end > 0 && bytes.subarray(end).equals(code) ? bytes.subarray(0, end) : undefined
  } catch {
    return undefined
  }
}

/** Ignores failures: without a cache the next start only takes longer. */
function keep(kept: string, bytes: Buffer): void {
  const fresh = `${kept}.${process.pid}`
  try {
    if (!isOurs()) return
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
