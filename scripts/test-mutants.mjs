// Tests the tests: makes each fault of test/mutants/ in a copy of the checkout, and says whether the tests see it.
// node scripts/test-mutants.mjs [--only NAME[,NAME]]... [--named]
// --named: the test files that a fault names, and not the rest of `npm test` where those pass.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { root } from './freshness.mjs'

const native = 'native/test/'

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
  const mutant = { name: field('name'), file: field('file'), breaks: field('breaks') }
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

/** Packages are linked where they can be; what is built goes along, so that only the fault is built. */
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

function judgeAll(mutants, copy) {
  if (!builds(copy)) throw new Error('the checkout does not build')
  const broken = failing([...new Set(mutants.flatMap(({ tests }) => tests))], copy)
  for (const test of broken) console.log(`ERROR     ${test} fails without a fault`)
  return mutants.map((mutant) => {
    const verdict = judge(mutant, copy, broken)
    console.log(`${verdict.padEnd(9)} ${mutant.name.padEnd(20)} ${mutant.file}: ${mutant.breaks}`)
    return verdict
  })
}

/** What fails without a fault says nothing about one. */
function failing(tests, copy) {
  return new Set(passes(copy, tests, []) ? [] : tests.filter((test) => !passes(copy, [test])))
}

function judge({ file, old, fresh, tests }, copy, broken) {
  if (tests.some((test) => broken.has(test))) return 'ERROR'
  const path = join(copy, file)
  const text = readFileSync(path, 'utf8')
  const mutated = replaceLines(text, old, fresh)
  if (typeof mutated === 'number') {
    console.log(`ERROR     ${file} has the old line ${mutated} times; it must have it once: ${old.join(' ')}`)
    return 'ERROR'
  }
  writeFileSync(path, mutated)
  try {
    if (!builds(copy)) return 'ERROR'
    if (!passes(copy, tests)) return 'seen'
    return options.named || whole(copy) ? 'NOT SEEN' : 'seen late'
  } finally {
    writeFileSync(path, text)
  }
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

function builds(copy) {
  return ['build-native', 'build-ts'].every((script) =>
    run(copy, process.execPath, [`scripts/${script}.mjs`]),
  )
}

function passes(copy, tests, more = ['--bail=1']) {
  const programs = tests
    .filter((test) => test.startsWith(native))
    .map((test) => test.slice(native.length, -'.c'.length))
  const files = tests.filter((test) => !test.startsWith(native))
  if (programs.length > 0 && !runNative(copy, programs)) return false
  return files.length === 0 || run(copy, 'npx', ['vitest', 'run', '--project', 'quick', ...more, ...files])
}

function runNative(copy, programs = []) {
  return run(copy, process.execPath, ['scripts/test-native.mjs', ...programs])
}

/** `npm test` without lint and types, which judge how a fault is written. */
function whole(copy) {
  return runNative(copy) && run(copy, 'npm', ['run', 'test:unit'])
}

function run(cwd, program, args) {
  return (
    spawnSync(program, args, { cwd, stdio: 'ignore', env: { ...process.env, CI: undefined } }).status === 0
  )
}

function report(verdicts) {
  const seen = verdicts.filter((verdict) => verdict.startsWith('seen')).length
  console.log(
    `${seen} of ${verdicts.length} faults seen (${((100 * seen) / (verdicts.length || 1)).toFixed(1)} %)`,
  )
  return seen === verdicts.length ? 0 : 1
}
