// Tests the tests: makes each fault of test/mutants/ in a copy of the checkout, and says whether the tests see it.
// node scripts/test-mutants.mjs [--only NAME[,NAME]]... [--named]
// --named: the test files that a fault names, and not the rest of `npm test` where those pass.
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  cpSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import ts from 'typescript'
import { root } from './freshness.mjs'

const native = 'native/test/'
/** The exit code of test-native.mjs. */
const doesNotBuild = 2
/** What both test runners print of a test. */
const failed = /\bFAIL(ED)?\b/
/** dist/ without a fault. */
const pristine = 'build/dist-pristine'

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true }, named: { type: 'boolean', default: false } },
})
process.exitCode = main()

function main() {
  const mutants = chosen(readTable(join(root, 'test/mutants')))
  const work = mkdtempSync(join(tmpdir(), 'vitrine-mutants-'))
  try {
    return report(judgeAll(mutants, copyCheckout(join(work, 'checkout'))))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** Rows are separated by empty lines: the README of the table has their form. */
function readTable(directory) {
  const files = readdirSync(directory).filter((name) => name.endsWith('.txt'))
  return files.flatMap((name) =>
    readFileSync(join(directory, name), 'utf8')
      .replaceAll(/^#.*\n/gm, '')
      .split(/\n{2,}/)
      .filter((row) => row.trim() !== '')
      .map((row) => parseRow(row, name)),
  )
}

function parseRow(row, table) {
  const lines = row.split('\n')
  const field = (name) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const marked = (mark) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1).trim())
  const [name, file] = field('fault')?.split(' in ') ?? []
  const mutant = { name, file, breaks: field('breaks') }
  const tests = field('tests')?.split(' ') ?? []
  const incomplete = Object.entries(mutant).find(([, value]) => value === undefined)?.[0]
  if (incomplete ?? (marked('-').length === 0 || tests.length === 0))
    throw new Error(`${table}: a row is incomplete (${incomplete ?? 'old line or tests'}):\n${row}`)
  return { ...mutant, tests, old: marked('-'), fresh: marked('+') }
}

function chosen(mutants) {
  const twice = mutants.find(({ name }, i) => mutants.findIndex((other) => other.name === name) !== i)
  if (twice) throw new Error(`two rows have the name ${twice.name}`)
  const wanted = options.only?.flatMap((names) => names.split(','))
  const unknown = wanted?.find((name) => !mutants.some((mutant) => mutant.name === name))
  if (unknown) throw new Error(`no row has the name ${unknown}`)
  return wanted ? mutants.filter(({ name }) => wanted.includes(name)) : mutants
}

/** Packages are linked where they can be. */
function copyCheckout(copy) {
  const listed = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const files = spawnSync('git', listed, { cwd: root, encoding: 'utf8' }).stdout.split('\0').filter(Boolean)
  for (const file of files)
    if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file), { preserveTimestamps: true })
  if (spawnSync('cp', ['-al', join(root, 'node_modules'), copy]).status !== 0)
    cpSync(join(root, 'node_modules'), join(copy, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
    })
  rmSync(join(copy, 'node_modules/.cache'), { recursive: true, force: true })
  return copy
}

/** Native faults come first: each kind is built while the other stays as it is. */
function judgeAll(mutants, copy) {
  for (const script of ['build-native', 'build-ts']) build(copy, script)
  cpSync(join(copy, 'dist'), join(copy, pristine), { recursive: true, preserveTimestamps: true })
  const broken = failing([...new Set(mutants.flatMap(({ tests }) => tests))], copy)
  for (const test of broken) console.log(`ERROR     ${test} fails without a fault`)
  const isTypeScript = ({ file }) => Number(!file.startsWith('native/'))
  return mutants
    .toSorted((a, b) => isTypeScript(a) - isTypeScript(b))
    .map((mutant) => {
      const { verdict, why } = mutant.tests.some((test) => broken.has(test))
        ? { verdict: 'ERROR', why: 'a test fails without a fault' }
        : judge(mutant, copy)
      console.log(`${verdict.padEnd(9)} ${mutant.name.padEnd(20)} ${mutant.file}: ${mutant.breaks}`)
      if (why) console.log(`${' '.repeat(9)} ${why}`)
      return verdict
    })
}

/** What fails without a fault says nothing about one; what fails among all the others is looked at again alone. */
function failing(tests, copy) {
  const failure = failureOf(copy, tests, [])
  if (failure === undefined) return new Set()
  const lines = failure.split('\n').filter((line) => failed.test(line))
  const named = tests.filter((test) => lines.some((line) => line.includes(test)))
  const suspects = named.length > 0 ? [...named, ...tests.filter(isNative)] : tests
  return new Set(suspects.filter((test) => failureOf(copy, [test]) !== undefined))
}

function judge({ file, old, fresh, tests }, copy) {
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  const { mtime } = statSync(path)
  const mutated = replaceLines(text, old, fresh)
  if (typeof mutated === 'number')
    return { verdict: 'ERROR', why: `it must have the old line once, and has it ${mutated} times` }
  writeFileSync(path, mutated)
  try {
    return file.startsWith('native/')
      ? judgeNative(tests, copy)
      : judgeTypeScript({ path, mutated, mtime }, tests, copy)
  } catch (error) {
    return { verdict: 'ERROR', why: error.message }
  } finally {
    writeFileSync(path, text)
    if (!file.startsWith('native/')) restoreDist(copy, path, mtime)
  }
}

function judgeNative(tests, copy) {
  const failure = failureOf(copy, tests.filter(isNative))
  if (failure !== undefined) return { verdict: 'seen', why: firstOf(failure) }
  build(copy, 'build-native')
  return judgeBuilt(
    tests.filter((test) => !isNative(test)),
    copy,
  )
}

/** Most tests import src/ itself: dist/ is built with the fault only where they see nothing without that. */
function judgeTypeScript({ path, mutated, mtime }, tests, copy) {
  const { diagnostics } = ts.transpileModule(mutated, { reportDiagnostics: true })
  if (diagnostics.length > 0) throw new Error('the new line is no TypeScript')
  utimesSync(path, mtime, mtime) // dist/ counts as up to date
  const failure = failureOf(copy, tests)
  if (failure !== undefined) return { verdict: 'seen', why: firstOf(failure) }
  utimesSync(path, new Date(), new Date())
  build(copy, 'build-ts')
  return judgeBuilt(tests, copy)
}

function judgeBuilt(tests, copy) {
  const failure = failureOf(copy, tests)
  if (failure !== undefined) return { verdict: 'seen', why: firstOf(failure) }
  return { verdict: options.named || whole(copy) ? 'NOT SEEN' : 'seen late' }
}

function restoreDist(copy, path, mtime) {
  utimesSync(path, mtime, mtime)
  rmSync(join(copy, 'dist'), { recursive: true })
  cpSync(join(copy, pristine), join(copy, 'dist'), { recursive: true, preserveTimestamps: true })
}

/** The first test that fails, and how. */
function firstOf(failure) {
  const lines = failure.split('\n').map((line) => line.trim())
  const at = lines.findIndex((line) => failed.test(line))
  return lines.slice(at, at + 2).join(': ')
}

/** The text with the one place of the old lines changed, indented as before; else how many places there are. */
function replaceLines(text, old, fresh) {
  const lines = text.split('\n')
  const starts = lines.flatMap((_, at) =>
    old.every((line, i) => lines[at + i]?.trim() === line) ? [at] : [],
  )
  const [at] = starts
  if (starts.length !== 1) return starts.length
  const indent = /^\s*/.exec(lines[at])[0]
  lines.splice(at, old.length, ...fresh.map((line) => indent + line))
  return lines.join('\n')
}

function build(copy, script) {
  if (run(copy, process.execPath, [`scripts/${script}.mjs`]).status !== 0) throw new Error(`${script} fails`)
}

function isNative(test) {
  return test.startsWith(native)
}

/** What the test runners print where a test fails; undefined where all pass. */
function failureOf(copy, tests, more = ['--bail=1']) {
  const programs = tests.filter(isNative).map((test) => test.slice(native.length, -'.c'.length))
  const files = tests.filter((test) => !isNative(test))
  const failures = [
    programs.length > 0 ? nativeFailure(copy, programs) : undefined,
    files.length > 0 ? vitestFailure(copy, [...more, ...files]) : undefined,
  ].filter((failure) => failure !== undefined)
  return failures.length > 0 ? failures.join('\n') : undefined
}

function nativeFailure(copy, programs = []) {
  const { status, output } = run(copy, process.execPath, ['scripts/test-native.mjs', ...programs])
  if (status === doesNotBuild) throw new Error('the native tests do not build')
  return status === 0 ? undefined : output
}

function vitestFailure(copy, words) {
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...words]
  const { status, output } = run(copy, process.execPath, vitest)
  return status === 0 ? undefined : output
}

/** `npm test` without lint and types, which judge how a fault is written. */
function whole(copy) {
  return nativeFailure(copy) === undefined && vitestFailure(copy, ['--project', 'quick']) === undefined
}

function run(cwd, program, args) {
  const path = `${cwd}.output` // what a fault leaves running would hold a pipe open
  const fd = openSync(path, 'w')
  const env = { ...process.env, CI: undefined }
  const { status } = spawnSync(program, args, { cwd, stdio: ['ignore', fd, fd], env })
  closeSync(fd)
  return { status, output: stripVTControlCharacters(readFileSync(path, 'utf8')) }
}

function report(verdicts) {
  const seen = verdicts.filter((verdict) => verdict.startsWith('seen')).length
  console.log(
    `${seen} of ${verdicts.length} faults seen (${((100 * seen) / (verdicts.length || 1)).toFixed(1)} %)`,
  )
  return seen === verdicts.length ? 0 : 1
}
