import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from './helpers/programs.ts'

/** In the order of ARCHITECTURE.md: what every stage may use, then the stages, of which each uses earlier ones. */
const foundation = ['base', 'messages']
const stages = 'network request config policy admit sandbox launch scratchpad host run audit files'.split(' ')
const faces = ['cli', 'attach', 'doctor', 'mcp', 'adapters']
const top = ['index.ts', 'internal.ts', 'shell.ts']

interface Import {
  readonly from: string
  readonly to: string
  readonly typeOnly: boolean
}

const read = (path: string) => readFileSync(join(repository, path), 'utf8')
const filesIn = (folder: string) =>
  readdirSync(join(repository, folder), { recursive: true, encoding: 'utf8' })
const sources = filesIn('src')
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: read(join('src', path)) }))
const imports = sources.flatMap(({ path, text }) => importsOf(path, text))
const native = filesIn('native')

function importsOf(from: string, text: string): Import[] {
  const fixed = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\s+from\s+)?['"]([^'"]+)['"]/gm
  const late = /()\bimport\(['"]([^'"]+)['"]\)/g
  const root = join(repository, 'src')
  const to = (specifier: string) =>
    specifier.startsWith('.') ? relative(root, resolve(root, dirname(from), specifier)) : specifier
  return [...text.matchAll(fixed), ...text.matchAll(late)].map(([, type, specifier = '']) => ({
    ...{ from, to: to(specifier), typeOnly: Boolean(type) },
  }))
}

const folderOf = (path: string) => (path.includes('/') ? (path.split('/')[0] ?? '') : '')
const isOwn = ({ to }: Import) => to.endsWith('.ts')
const arrow = ({ from, to }: Import) => `${from} -> ${to}`

function readersOf(pattern: RegExp): string[] {
  const code = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  return sources.filter(({ text }) => pattern.test(code(text))).map(({ path }) => path)
}

/** The imports from which other imports lead back to their own file. */
function cycles(): readonly Import[] {
  const targets = new Map<string, string[]>()
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to])
  return imports.filter(({ from, to }) => {
    const reached = new Set([to])
    for (const file of reached) for (const next of targets.get(file) ?? []) reached.add(next)
    return reached.has(from)
  })
}

describe('architecture', () => {
  it('src/ holds the foundation, the stages, the faces, and three files that join them', () => {
    const known = [...foundation, ...stages, ...faces]
    const strangers = sources.filter(({ path }) => !known.includes(folderOf(path)) && !top.includes(path))
    expect(strangers.map(({ path }) => path)).toEqual([])
  })

  it('a stage imports earlier stages and the foundation only', () => {
    const order = [...foundation, ...stages]
    const backward = imports.filter((each) => {
      const [from, to] = [order.indexOf(folderOf(each.from)), order.indexOf(folderOf(each.to))]
      // A message names the types of what it puts into words.
      if (!isOwn(each) || from === -1 || (each.typeOnly && folderOf(each.from) === 'messages')) return false
      return to === -1 || to > from
    })
    expect(backward.map(arrow)).toEqual([])
  })

  it('no import leads back to its own file, not even for types', () => {
    expect(imports.length).toBeGreaterThan(sources.length)
    expect(cycles().map(arrow)).toEqual([])
  })

  it('a face uses index.ts, internal.ts and the foundation; only cli starts other faces', () => {
    const strangers = imports.filter((each) => {
      const [from, to] = [folderOf(each.from), folderOf(each.to)]
      const open = [from, ...foundation, ...(from === 'cli' ? ['attach', 'doctor', 'mcp'] : [])]
      return (
        faces.includes(from) && isOwn(each) && !open.includes(to) && !/^(index|internal)\.ts$/.test(each.to)
      )
    })
    expect(strangers.map(arrow)).toEqual([])
  })

  it('process.platform is read in base/platform.ts alone', () => {
    expect(readersOf(/\bprocess\.platform\b|\bos\.platform\(/)).toEqual(['base/platform.ts'])
  })

  it('nothing in src asks for a class: instanceof is false across realms (Jest, node:vm)', () => {
    expect(readersOf(/\binstanceof\b/)).toEqual([])
  })

  it('execa is imported late, and by its launcher alone', () => {
    const users = imports.filter(({ to }) => to === 'execa').map(({ from }) => from)
    expect([...new Set(users)]).toEqual(['launch/execa.ts'])
    expect(readersOf(/^import (?!type).*'execa'/m)).toEqual([])
  })

  it('files stay under 300 lines, folders under 20 sources', () => {
    const all = [
      ...sources.map(({ path }) => join('src', path)),
      ...native.map((path) => join('native', path)),
    ].filter((path) => /\.(ts|cc|c|h)$/.test(path) && !path.startsWith('native/test/'))
    expect(all.filter((path) => path !== 'native/binding.cc' && read(path).split('\n').length > 300)).toEqual(
      [],
    )
    const folders = all.map(dirname)
    const full = folders.filter((folder) => folders.filter((other) => other === folder).length > 20)
    expect([...new Set(full)]).toEqual([])
  })
})

describe('architecture of the addon', () => {
  it('napi.h is included by binding.cc alone', () => {
    const napi = /#\s*include\s*[<"](napi|node_api|node|uv|v8)\.h[>"]/
    const including = native.filter(
      (path) => /\.(cc|c|h|hh)$/.test(path) && napi.test(read(join('native', path))),
    )
    expect(including).toEqual(['binding.cc'])
  })

  it('addon and library have one number of their interface', () => {
    const [, inAddon] = /VT_INTERFACE = (\d+)/.exec(read('native/core.h')) ?? []
    const [, inLibrary] = /interfaceVersion = (\d+)/.exec(read('src/launch/addon.ts')) ?? []
    expect(inAddon).toBeDefined()
    expect(inLibrary).toBe(inAddon)
  })

  it('binding.gyp builds every source, and CMakeLists.txt the same core', () => {
    const built = [...read('binding.gyp').matchAll(/"(native\/[^"]+\.cc?)"/g)].map(([, path = '']) => path)
    const there = native.filter((path) => /^(linux|windows|compat)\/.*\.cc?$/.test(path))
    expect(there.filter((path) => !built.includes(join('native', path)))).toEqual([])
    const list = /set\(VITRINE_CORE_SOURCES\s([^)]*)\)/.exec(read('CMakeLists.txt'))?.[1] ?? ''
    const core = built.filter((path) => /^native\/linux\/(?!watcher\/(main|cgroups)\.c)/.test(path))
    expect(list.split(/\s+/).filter(Boolean).sort()).toEqual([...new Set(core)].sort())
  })
})

it('ARCHITECTURE.md names every folder of src, native and native/linux', () => {
  const folders = ['src', 'native', 'native/linux'].flatMap((directory) =>
    readdirSync(join(repository, directory), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
  )
  const text = read('ARCHITECTURE.md')
  expect(folders.filter(({ name }) => !text.includes(`${name}/`)).map(({ name }) => name)).toEqual([])
})
