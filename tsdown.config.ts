import { defineConfig, type UserConfig } from 'tsdown'
import { thirdPartyNotices } from './scripts/third-party.ts'

const common: UserConfig = { platform: 'node', target: 'node20', fixedExtension: false }

interface Modules {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null
}

/** What `vitrine run` loads at its start, with the little that its other files share. */
const start = ['/src/cli/run/run.ts', '/src/shell.ts', '/src/base/paths.ts']
/** What it imports to decide about a line is one file too. */
const decider = '/src/admit/decider.ts'
/** Its imports say nothing on what is used: it has everything that a face can use. */
const everything = '/src/internal.ts'

/** What they import is one file, so that --version and --help load little else. */
const said = ['/src/cli/output.ts', '/src/base/did-you-mean.ts', '/src/attach/names.ts']

/** Whether no import() stands between a module and one of `paths`. */
function isImportedBy(
  paths: readonly string[],
  id: string,
  modules: Modules,
  seen = new Set<string>(),
): boolean {
  if (paths.some((path) => id.endsWith(path))) return true
  if (seen.has(id) || id.endsWith(everything)) return false
  seen.add(id)
  return modules.getModuleInfo(id)?.importers.some((by) => isImportedBy(paths, by, modules, seen)) ?? false
}

function isBehind(path: string, id: string, modules: Modules): boolean {
  return !id.endsWith(path) && isImportedBy([path], id, modules)
}

/** What can be imported: the library, and an adapter for each framework. */
const library = {
  index: 'src/index.ts',
  tool: 'src/adapters/tool.ts',
  'ai-sdk': 'src/adapters/ai-sdk.ts',
  'openai-agents': 'src/adapters/openai-agents.ts',
  anthropic: 'src/adapters/anthropic.ts',
}

/** Large packages are files of their own, one directory above the command line's. */
const besideTheCommandLine = {
  name: 'beside',
  resolveId: (source: string) => {
    const [, name] = /^\.\.?\/(sdk|prometheus)\.ts$/.exec(source) ?? []
    return name === undefined ? null : { id: `../${name}.cjs`, external: true }
  },
}

/**
 * The MCP SDK takes ajv for its validator, which is a third of it; for other systems it has a smaller one, which is enough for
 * what is validated here: the answers to questions.
 */
const smallValidator = {
  name: 'small-validator',
  resolveId: (source: string) => (source === '@modelcontextprotocol/server/_shims' ? '\0mcp-shims' : null),
  load: (id: string) =>
    id === '\0mcp-shims'
      ? `export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'
         export { default as process } from 'node:process'`
      : null,
}

/** prom-client takes OpenTelemetry's API for its exemplars, which are not used here; many have no such package. */
const withoutExemplars = {
  name: 'without-exemplars',
  transform: (code: string, id: string) =>
    id.includes('/prom-client/') ? code.replace("require('@opentelemetry/api')", '{}') : null,
}

/** V8 keeps a source with one character beyond Latin-1 in two bytes a character, and decodes it more slowly. */
const ascii = {
  name: 'ascii',
  generateBundle(_options: unknown, bundle: Record<string, { code?: string }>) {
    for (const chunk of Object.values(bundle))
      if (chunk.code) chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped)
  },
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** A getter for each of the 240 names that `run` offers to the other files takes longer to define than all of its work. */
const plainExports = {
  name: 'plain-exports',
  generateBundle(_options: unknown, bundle: Record<string, { name?: string; code?: string }>) {
    for (const chunk of Object.values(bundle))
      if (chunk.name === 'run' && chunk.code) chunk.code = withPlainExports(chunk.code)
  },
}

const getter =
  /[,;]?Object\.defineProperty\(exports,`([\w$]+)`,\{enumerable:!0,get:function\(\)\{return ?([\w$]+|`[^`]*`)\}\}\)/g

/** Without a prototype V8 makes the object a hash table at once. */
function withPlainExports(code: string): string {
  const names: string[] = []
  const rest = code.replace(getter, (_getter, name: string, value: string) => {
    names.push(`${name}:${value}`)
    return ''
  })
  if (names.length === 0 || /(?<!\.)\bexports\b(?!:)/.test(rest))
    throw new Error('the exports of run.cjs look different')
  return `${rest.replace(/;$/, '')};module.exports={__proto__:null,${names.join()}};`
}

/** For an uncaught error Node prints the line that threw it: each statement, and each member of a class, begins one. */
const lines = {
  name: 'lines',
  generateBundle(
    this: { parse(code: string): object },
    _options: unknown,
    bundle: Record<string, { code?: string }>,
  ) {
    for (const [file, chunk] of Object.entries(bundle))
      if (chunk.code && /\.c?js$/.test(file))
        chunk.code = withLines(chunk.code, startsIn(this.parse(chunk.code)))
  },
}

/** Where statements and members begin; between two of them a line may end. */
function startsIn(node: unknown): number[] {
  if (typeof node !== 'object' || node === null) return []
  const { body, consequent }: { body?: unknown; consequent?: unknown } = node
  const begun = [body, consequent].flatMap((list) => (Array.isArray(list) ? list : []))
  return [...begun.map(({ start }) => start), ...Object.values(node).flatMap(startsIn)]
}

function withLines(code: string, starts: readonly number[]): string {
  const cuts = [0, ...new Set(starts)].sort((a, b) => a - b)
  return cuts.map((from, at) => code.slice(from, cuts[at + 1])).join('\n')
}

const notices = thirdPartyNotices()

export default defineConfig([
  // The library leaves its dependencies to npm. Made small, but for the names of functions and classes, which stand in traces.
  {
    ...common,
    format: 'esm',
    entry: library,
    minify: { compress: true, mangle: { keepNames: true } },
    plugins: [lines],
    dts: { entry: Object.values(library) },
  },
  // What require() gets of the library is in the command line's files: Jest's own require() loads no ES modules, whatever Node can. The
  // other way round, bundlers that make ES modules cannot use CommonJS.
  // The command line is made to start fast: it carries what it needs, `run` is one file, and it is CommonJS, for the
  // loader of ES modules alone takes a tenth of Node's own start, and importing node:fs that way loads all its streams.
  {
    ...common,
    format: 'cjs',
    shims: true,
    // As in other bundles of CommonJS modules: making a URL of __filename and the reverse takes time.
    define: { 'import.meta.url': 'undefined' },
    clean: false,
    dts: false,
    entry: { cli: 'src/cli/main.ts', ...library },
    treeshake: { moduleSideEffects: false },
    // The main file of jsonc-parser is UMD, which cannot be bundled.
    inputOptions: { resolve: { mainFields: ['module', 'main'] } },
    deps: {
      alwaysBundle: ['valibot', '@valibot/to-json-schema', 'smol-toml', 'toml-eslint-parser', 'unbash'],
      neverBundle: ['execa', 'tldts', '@opentelemetry/api'],
    },
    minify: true,
    plugins: [besideTheCommandLine, ascii, plainExports, lines, notices],
    outputOptions: {
      chunkFileNames: 'cli/[name].cjs',
      codeSplitting: {
        groups: [
          {
            name: (id, modules) => (isImportedBy(said, id, modules) ? 'base' : null),
            priority: 2,
          },
          { name: (id, modules) => (isImportedBy(start, id, modules) ? 'run' : null), priority: 1 },
          { name: (id, modules) => (isBehind(decider, id, modules) ? 'decisions' : null) },
        ],
      },
    },
  },
  // The part that runs inside of containers: one file, which is mounted there.
  {
    ...common,
    format: 'cjs',
    clean: false,
    dts: false,
    minify: true,
    entry: { inside: 'src/launch/inside.ts' },
    deps: { alwaysBundle: [/./] },
  },
  // The MCP SDK with what it needs.
  {
    ...common,
    format: 'cjs',
    clean: false,
    dts: false,
    minify: true,
    entry: { sdk: 'src/mcp/sdk.ts' },
    deps: { alwaysBundle: [/./] },
    plugins: [smallValidator, ascii, notices],
  },
  // What serves /metrics. CommonJS: in the command line's files it would need a further file at each start.
  {
    ...common,
    format: 'cjs',
    clean: false,
    dts: false,
    minify: true,
    entry: { prometheus: 'src/mcp/http/prometheus.ts' },
    deps: { alwaysBundle: [/./] },
    plugins: [withoutExemplars, ascii, notices],
  },
])
