import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { repository } from './helpers/programs.ts'

/** The stages of one command, in order (ARCHITECTURE.md). A stage calls earlier ones and the foundation. */
const stages = [
  'network',
  'request',
  'config',
  'facts',
  'policy',
  'admit',
  'sandbox',
  'launch',
  'scratchpad',
  'host',
  'run',
  'audit',
]
/** What every stage may use. */
const foundation = ['base', 'messages']
/** They use the public names and the foundation. */
const faces = ['cli', 'doctor', 'mcp', 'adapters']
/** What stands directly in src/: the public names, those for our own faces, and the file that joins the stages. */
const top = ['index.ts', 'internal.ts', 'shell.ts']

interface Import {
  /** Both relative to src/; a package's name for a package. */
  readonly from: string
  readonly to: string
  /** Whether nothing is left of it at run time. */
  readonly typeOnly: boolean
}

interface Source {
  readonly path: string
  readonly text: string
  readonly imports: readonly Import[]
}

const root = join(repository, 'src')

function readSource(path: string): Source {
  const text = readFileSync(join(root, path), 'utf8')
  return { path, text, imports: importsOf(path, text) }
}

const statement = /^(?:import|export)\s+(type\s+)?(?:([^'"]*?)\s+from\s+)?['"]([^'"]+)['"]/gm
const dynamic = /\b(?:import|require)\(['"]([^'"]+)['"]\)/g
/** `typeof import('x')` and `import('x').Y` stand where a type stands. */
const typeQuery = /(?:typeof\s+|[:<|]\s*)import\(['"]([^'"]+)['"]\)/g

function importsOf(path: string, text: string): Import[] {
  const to = (specifier: string) =>
    specifier.startsWith('.') ? relative(root, resolve(root, dirname(path), specifier)) : specifier
  const fixed = [...text.matchAll(statement)].map(([, type, names, specifier = '']) => ({
    from: path,
    to: to(specifier),
    typeOnly: type !== undefined || onlyTypes(names),
  }))
  const queries = found(typeQuery, text).map((specifier) => ({
    from: path,
    to: to(specifier),
    typeOnly: true,
  }))
  const late = found(dynamic, text.replaceAll(typeQuery, '')).map((specifier) => ({
    from: path,
    to: to(specifier),
    typeOnly: false,
  }))
  return [...fixed, ...queries, ...late]
}

function found(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map(([, specifier = '']) => specifier)
}

/** `{ type A, type B }` */
function onlyTypes(names: string | undefined): boolean {
  const inside = /^\{([^}]*)\}$/.exec(names?.trim() ?? '')?.[1]
  if (inside === undefined) return false
  const parts = inside.split(',').map((part) => part.trim())
  return parts.filter((part) => part !== '').every((part) => part.startsWith('type '))
}

function parse(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
}

function methodOf(file: ts.SourceFile, name: string): ts.MethodDeclaration | undefined {
  return descendants(file)
    .filter(ts.isMethodDeclaration)
    .find((method) => method.name.getText() === name)
}

function descendants(node: ts.Node): ts.Node[] {
  return node.getChildren().flatMap((child) => [child, ...descendants(child)])
}

/** The names of what a method calls, in order. */
function calledIn(method: ts.Node | undefined): string[] {
  const calls = method ? descendants(method).filter(ts.isCallExpression) : []
  return calls.map(({ expression }) => /[#\w]*$/.exec(expression.getText())?.[0] ?? '')
}

/** The calls of imported functions and classes that have a function among their arguments. */
function functionsHandedOn(file: ts.SourceFile): string[] {
  const nodes = descendants(file)
  const imported = nodes.filter(ts.isImportSpecifier).map(({ name }) => name.text)
  return nodes
    .filter((node) => ts.isCallExpression(node) || ts.isNewExpression(node))
    .filter(({ expression }) => imported.includes(expression.getText()))
    .filter((call) =>
      call.arguments?.some((argument) => [argument, ...descendants(argument)].some(ts.isFunctionLike)),
    )
    .map((call) => call.getText())
}

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map(readSource)
const addon = sources.find(({ path }) => path === 'launch/addon.ts')?.text
const shell = parse('shell.ts', sources.find(({ path }) => path === 'shell.ts')?.text ?? '')
const imports = sources.flatMap((source) => source.imports)
const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')
const isOwn = (path: string) => path.endsWith('.ts')
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}

function arrow({ from, to }: Import): string {
  return `${from} -> ${to}`
}

/** The imports from which other imports lead back to their own file. */
function cyclesIn(all: readonly Import[]): readonly Import[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of all) targets.set(from, [...(targets.get(from) ?? []), to])
  return all.filter(({ from, to }) => {
    const reached = new Set([to])
    for (const file of reached) for (const next of targets.get(file) ?? []) reached.add(next)
    return reached.has(from)
  })
}

describe('architecture', () => {
  it('src/ holds the foundation, the stages, the faces, and three files that join them', () => {
    const strangers = sources
      .map(({ path }) => path)
      .filter((path) => {
        const folder = folderOf(path)
        return folder === '' ? !top.includes(path) : ![...foundation, ...stages, ...faces].includes(folder)
      })
    expect(strangers).toEqual([])
  })

  it('reads imports of every form', () => {
    const text = [
      "import { a } from './a.ts'",
      "import type { B } from './b.ts'",
      "import { type C, type D } from './c.ts'",
      "export { type E, f } from './d.ts'",
      "import './e.ts'",
      "const g = await import('g')",
      "type H = typeof import('h')",
      "import {\n  i,\n} from './i.ts'",
    ].join('\n')
    const read = importsOf('x/y.ts', text).map(({ to, typeOnly }) => `${to}${typeOnly ? ' type' : ''}`)
    expect(read).toEqual([
      'x/a.ts',
      'x/b.ts type',
      'x/c.ts type',
      'x/d.ts',
      'x/e.ts',
      'x/i.ts',
      'h type',
      'g',
    ])
  })

  it('a stage imports earlier stages and the foundation only', () => {
    const order = [...foundation, ...stages]
    const backward = imports.filter(({ from, to, typeOnly }) => {
      if (!isOwn(to) || !order.includes(folderOf(from))) return false
      // A message names the types of what it puts into words.
      if (typeOnly && folderOf(from) === 'messages') return false
      return !order.includes(folderOf(to)) || order.indexOf(folderOf(to)) > order.indexOf(folderOf(from))
    })
    expect(backward.map(arrow)).toEqual([])
  })

  it('finds the imports of a cycle, and no others', () => {
    const edge = (from: string, to: string): Import => ({ from, to, typeOnly: true })
    const cycle = [edge('a', 'b'), edge('b', 'c'), edge('c', 'a')]
    expect(cyclesIn([edge('x', 'a'), ...cycle, edge('c', 'y'), edge('x', 'y')])).toEqual(cycle)
  })

  it('no import leads back to its own file, not even for types', () => {
    expect(cyclesIn(imports).map(arrow)).toEqual([])
  })

  it('no folder holds more than 20 sources', () => {
    const counts = new Map<string, number>()
    for (const { path } of sources) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 20)).toEqual([])
  })

  it('the number of the addon’s interface is raised with it', () => {
    const read = (path: string) => readFileSync(join(repository, 'native', path), 'utf8')
    const listed = (text: string, pattern: RegExp) => [
      ...new Set([...text.matchAll(pattern)].map(([, name]) => name)),
    ]
    const seen = {
      native: listed(read('core.h'), /VT_INTERFACE = (\d+)/g),
      typescript: listed(addon ?? '', /interfaceVersion = (\d+)/g),
      functions: listed(read('binding.cc'), /exports\.Set\("(\w+)", Napi::Function/g),
      recordOfSpawn: listed(read('binding/request.h'), /, "((?:\w+\.)*\w+)"/g),
    }
    // Not equal: raise both numbers (native/core.h, src/launch/addon.ts), then write down here what there is now.
    expect(seen).toEqual({
      native: ['24'],
      typescript: ['24'],
      functions: [
        'spawn',
        'terminate',
        'kill',
        'signal',
        'consumed',
        'probe',
        'watch',
        'watcherPid',
        'prepare',
        'leave',
        'makePrivate',
        'removePrivate',
        'resetPrivate',
        'sweepPrivate',
        'snapshot',
        'unchanged',
        'answer',
        'noticeNames',
        'hold',
        'store',
        'resize',
        'lock',
        'proxyClient',
        'write',
        'closeStdin',
        'acceptIntegrity',
      ],
      recordOfSpawn: [
        'stdin',
        'limits',
        'limits.memoryBytes',
        'limits.cpuSeconds',
        'limits.processes',
        'limits.openFiles',
        'limits.privateTmpBytes',
        'terminal',
        'terminal.columns',
        'terminal.rows',
        'deadline',
        'deadline.timeoutMs',
        'deadline.graceMs',
        'confinement.reads',
        'confinement.reads.readable',
        'confinement.reads.readable.workspace',
        'confinement.reads.readable.others',
        'confinement.reads.readable.unlinked',
        'confinement.reads.unreadable',
        'confinement.reads.names',
        'confinement.reads.names.beneath',
        'confinement.reads.names.patterns',
        'confinement.reads.names.except',
        'confinement.reads.names.skip',
        'confinement',
        'confinement.abi',
        'confinement.network',
        'confinement.proxy',
        'confinement.proxy.port',
        'confinement.proxy.command',
        'confinement.proxy.services',
        'confinement.world',
        'confinement.listener',
        'confinement.asks',
        'confinement.writable',
        'confinement.sockets',
        'confinement.changes',
        'confinement.changes.roots',
        'confinement.changes.protected',
        'confinement.changes.closed',
        'candidates',
        'argv',
        'env',
        'cwd',
        'merged',
      ],
    })
  })

  it('execute() admits, launches and finishes a command, in this order and on one screen', () => {
    const methods = ['execute', '#admit', '#run'].map((name) => methodOf(shell, name))
    const lines = shell.text.slice(methods[0]?.getStart(), methods.at(-1)?.getEnd()).split('\n')
    expect(lines.length).toBeLessThanOrEqual(50)
    const steps = ['begin', 'admit', 'launch', 'finish', 'ended', 'remove', 'close']
    expect(methods.flatMap(calledIn).filter((name) => steps.includes(name))).toEqual(steps)
  })

  it('shell.ts hands no function to a stage: what it calls returns', () => {
    expect(functionsHandedOn(shell)).toEqual([])
    const handing =
      "import { run } from './run/run.ts'\nrun(() => 1)\nrun({ on() {} })\n[1].map((one) => run(one))\n"
    expect(functionsHandedOn(parse('handing.ts', handing))).toEqual(['run(() => 1)', 'run({ on() {} })'])
  })

  it('index.ts and internal.ts export and do nothing else', () => {
    const index = sources
      .filter(({ path }) => /^(index|internal)\.ts$/.test(path))
      .map(({ text }) => text)
      .join('')
    expect(index.replaceAll(/^export (?:type )?\{[^}]*\} from '[^']+'\n/gm, '')).toBe('')
  })

  it('a face uses index.ts, internal.ts and the foundation; only cli starts other faces', () => {
    const strangers = imports.filter(({ from, to }) => {
      const folder = folderOf(from)
      if (!faces.includes(folder) || !isOwn(to)) return false
      const started = folder === 'cli' && ['doctor', 'mcp'].includes(folderOf(to))
      return (
        !['index.ts', 'internal.ts'].includes(to) &&
        !foundation.includes(folderOf(to)) &&
        !started &&
        folderOf(to) !== folder
      )
    })
    expect(strangers.map(arrow)).toEqual([])
  })

  it('process.platform is read in base/platform.ts alone', () => {
    const readers = sources.filter(({ text }) => /\bprocess\.platform\b|\bos\.platform\(/.test(text))
    expect(readers.map(({ path }) => path)).toEqual(['base/platform.ts'])
  })

  it('nothing in src asks for a class: instanceof is false across realms (Jest, node:vm)', () => {
    const asking = sources.filter(({ text }) => /\binstanceof\b/.test(withoutComments(text)))
    expect(asking.map(({ path }) => path)).toEqual([])
  })

  it('smol-toml is used in src/config/load.ts or what it is made of', () => {
    const users = imports.filter(({ to }) => to === 'smol-toml').map(({ from }) => folderOf(from))
    expect([...new Set(users)]).toEqual(['config'])
  })

  it('execa is imported late, and by its launcher alone', () => {
    const users = sources.filter(({ imports }) => imports.some(({ to }) => to === 'execa'))
    expect(users.map(({ path }) => path)).toEqual(['launch/execa.ts'])
    expect(users[0]?.text).not.toMatch(/^import (?!type).*'execa'/m)
  })

  it('every source file stays under 300 lines', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 300)
    expect(long.map(({ path }) => path)).toEqual([])
  })
})

describe('architecture of the addon', () => {
  const native = readdirSync(join(repository, 'native'), { recursive: true, encoding: 'utf8' })
  const read = (path: string) => readFileSync(join(repository, path), 'utf8')

  it('napi.h is included by binding.cc alone', () => {
    const including = native
      .filter((path) => /\.(cc|c|h|hh)$/.test(path))
      .filter((path) =>
        /#\s*include\s*[<"](napi|node_api|node|uv|v8)\.h[>"]/.test(read(join('native', path))),
      )
    expect(including).toEqual(['binding.cc'])
  })

  it('binding.gyp and CMakeLists.txt build the same core', () => {
    const ofProduct = [...read('binding.gyp').matchAll(/"(native\/linux\/[^"]+\.c)"/g)].map(
      ([, path = '']) => path,
    )
    const list = /set\(VITRINE_CORE_SOURCES\s([^)]*)\)/.exec(read('CMakeLists.txt'))?.[1] ?? ''
    const sourcesOfProduct = [...new Set(ofProduct)].filter(
      (path) => !/\/watcher\/(main|cgroups)\.c$/.test(path),
    )
    expect(list.split(/\s+/).filter(Boolean).sort()).toEqual(sourcesOfProduct.sort())
  })

  it('every source of the addon is built', () => {
    const sourcesThere = native
      .filter((path) => /^(linux|windows|compat)\/.*\.cc?$/.test(path))
      .map((path) => `native/${path}`)
    const product = read('binding.gyp')
    expect(sourcesThere.filter((path) => !product.includes(`"${path}"`))).toEqual([])
  })

  it('each type of the Linux core has a tag of its own', () => {
    const tags = native
      .filter((path) => /^(?:linux\/.*|core)\.[ch]$/.test(path))
      .flatMap((path) => [...read(join('native', path)).matchAll(/^\s*(?:struct|enum|union) (vt_\w+) \{/gm)])
      .map(([, tag]) => tag)
    expect(tags.filter((tag, at) => tags.indexOf(tag) !== at)).toEqual([])
  })

  it('no folder of native/linux holds more than 20 sources', () => {
    const counts = new Map<string, number>()
    for (const path of native.filter((path) => /^linux\/.*\.[ch]$/.test(path)))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 20)).toEqual([])
  })

  it('every source file stays under 300 lines', () => {
    const long = native
      .filter((path) => /\.(cc|c|h)$/.test(path) && path !== 'binding.cc')
      .filter((path) => read(join('native', path)).split('\n').length > 300)
    expect(long).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  const text = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')
  it('names every folder of src, native and native/linux', () => {
    const folders = ['src', 'native', 'native/linux'].flatMap((directory) =>
      readdirSync(join(repository, directory), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${name}/`),
    )
    expect(folders.filter((folder) => !text.includes(folder))).toEqual([])
  })
})
