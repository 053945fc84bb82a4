import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { readable } from '../helpers/programs.ts'
import type { Programs } from './attack.ts'

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
  const target = join(built, `${nameOf(source)}-${hashOf(process.arch, ...FLAGS, ...texts)}`)
  if (existsSync(target)) return target
  const made = `${target}.${process.pid}`
  if (source.endsWith('.py')) copyFileSync(source, made)
  else execFileSync('cc', [...FLAGS, '-o', made, source])
  chmodSync(made, 0o755)
  renameSync(made, target)
  return target
}

const nameOf = (source: string) => basename(source).replace(/\.\w+$/, '')

/** Builds all programs of test/fixtures/attack that are not there yet. */
export function buildPrograms(): Programs {
  mkdirSync(built, { recursive: true, mode: 0o755 })
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).map((path) => join(sources, path))
  const headers = files.filter((path) => path.endsWith('.h'))
  const programs = files.filter((path) => /\.(c|py)$/.test(path))
  return Object.fromEntries(programs.map((path) => [nameOf(path), buildProgram(path, headers)])) as Programs
}

/** A runner, and what it imports, as one file of plain JavaScript: another user's node runs it, and knows no TypeScript. */
export function buildRunner(name = 'runner'): string {
  const options = { bundle: true, platform: 'node', format: 'esm', write: false } as const
  const { outputFiles } = buildSync({ ...options, entryPoints: [join(here, `${name}.ts`)] })
  const text = outputFiles[0]?.text ?? ''
  const target = join(built, `${basename(name)}-${hashOf(text)}.mjs`)
  const made = `${target}.${process.pid}`
  writeFileSync(made, text, { mode: 0o644 })
  renameSync(made, target)
  return target
}
