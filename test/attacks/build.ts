import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { readable } from '../helpers/programs.ts'
import type { Helper, Program, Programs } from './attack.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))
const sources = join(root, 'test/fixtures/attack')
const built = join(readable, 'build/fixtures/attack')

const FLAGS = ['-std=gnu17', '-O1', '-Wall', '-Wextra', '-Werror', '-pthread']

function hashOf(...parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16)
}

/** Builds one program, unless the same source was built already. Two builders at once do no harm: the last one wins. */
function buildProgram(source: string, headers: readonly string[]): string {
  const texts = [source, ...headers].map((path) => readFileSync(path, 'utf8'))
  const name = basename(source, '.c')
  const target = join(built, `${name}-${hashOf(process.arch, ...FLAGS, ...texts)}`)
  if (existsSync(target)) return target
  const made = `${target}.${process.pid}`
  const { status, stderr, error } = spawnSync('cc', [...FLAGS, '-o', made, source], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`cc ${source}: ${error?.message ?? stderr}`)
  chmodSync(made, 0o755)
  renameSync(made, target)
  return target
}

/** Builds all programs of test/fixtures/attack that are not there yet. */
export function buildPrograms(): Programs {
  mkdirSync(built, { recursive: true, mode: 0o755 })
  const files = filesIn(sources)
  const headers = files.filter((path) => path.endsWith('.h'))
  const programs = files.filter((path) => path.endsWith('.c'))
  return Object.fromEntries(
    programs.map((path) => [basename(path, '.c') as Program | Helper, buildProgram(path, headers)]),
  ) as Programs
}

function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true, recursive: true })
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

function sourcesIn(directory: string): string[] {
  return filesIn(directory)
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .sort()
}

/** Writes a runner, and what it imports, as plain JavaScript: another user's node runs it, and knows no TypeScript. */
export function buildRunner(name = 'runner.js'): string {
  const sources = sourcesIn(here).map((path) => ({ path, text: readFileSync(path, 'utf8') }))
  const directory = join(built, `runner-${hashOf(ts.version, ...sources.map(({ text }) => text))}`)
  if (!existsSync(directory)) writeRunner(sources, directory)
  return join(directory, name)
}

/** Whole or not at all: two builders at once must not see each other's half. */
function writeRunner(sources: readonly { path: string; text: string }[], directory: string): void {
  const making = `${directory}.${process.pid}`
  for (const { path, text } of sources) {
    const target = join(making, relative(here, path)).replace(/\.ts$/, '.js')
    mkdirSync(dirname(target), { recursive: true, mode: 0o755 })
    writeFileSync(target, transpile(text), { mode: 0o644 })
  }
  try {
    renameSync(making, directory)
  } catch (error) {
    rmSync(making, { recursive: true })
    if (!existsSync(directory)) throw error // else another builder was faster
  }
}

function transpile(text: string): string {
  const { ESNext } = ts.ModuleKind
  return ts.transpileModule(text, {
    compilerOptions: {
      module: ESNext,
      target: ts.ScriptTarget.ES2022,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
    },
  }).outputText
}
