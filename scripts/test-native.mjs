// Builds the native unit tests with sanitizers, where something changed, and runs them, or those of them that are named, such as
// `limits/test_limits`: one line a program, exit 1 on any failure, 2 where they do not build.
import { execFile, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, join } from 'node:path'
import { newest, oldest, root } from './freshness.mjs'

const FLAGS = [
  '-std=gnu11',
  '-g',
  '-O1',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fno-omit-frame-pointer',
  '-pthread',
  '-iquote',
  'native',
  '-iquote',
  'native/linux',
]
const SANITIZERS = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all']

if (process.platform === 'linux') process.exitCode = await main()
else console.log('native tests: skipped, the native core is for Linux')

async function main() {
  const cmake = isInstalled('cmake')
  const out = join('build', cmake ? 'native-test' : 'native-test-cc')
  const programs = listed('VITRINE_TEST_PROGRAMS')
  const wanted = process.argv.length > 2 ? programs.filter((name) => process.argv.includes(name)) : programs
  const built = cmake ? buildWithCmake(out, wanted) : buildWithCompiler(out, programs)
  if (!built) return 2
  const passed = await countPassed(wanted.map((program) => join(root, out, basename(program))))
  console.log(`native tests: ${passed} of ${wanted.length} programs passed`)
  return passed === wanted.length && passed > 0 ? 0 : 1
}

// One program on each processor.
async function countPassed(programs) {
  const waiting = [...programs]
  let passed = 0
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) if (await passes(next)) passed++
  }
  await Promise.all(Array.from({ length: availableParallelism() }, lane))
  return passed
}

function isInstalled(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

// The words of a `set(NAME ...)` in CMakeLists.txt, so that both ways build the same.
function listed(name) {
  const text = readFileSync(join(root, 'CMakeLists.txt'), 'utf8')
  const words = new RegExp(`^set\\(${name}\\s([^)]*)\\)`, 'm').exec(text)?.[1]?.split(/\s+/).filter(Boolean)
  if (!words) throw new Error(`CMakeLists.txt has no set(${name} ...)`)
  return words
}

// A build directory that cmake does not take (another checkout's, a configuration that was interrupted) is made anew.
function buildWithCmake(out, wanted) {
  const configure = ['-S', '.', '-B', out, '-DVITRINE_TESTS=ON', '-DCMAKE_BUILD_TYPE=Debug']
  if (spawnSync('cmake', configure, { cwd: root, stdio: 'ignore' }).status !== 0) {
    rmSync(join(root, out), { recursive: true, force: true })
    if (!run('cmake', configure)) return false
  }
  const targets = wanted.flatMap((program) => ['--target', basename(program)])
  return run('cmake', ['--build', out, '--parallel', '2', ...targets])
}

// Without cmake: everything again as soon as anything is newer than the oldest program.
function buildWithCompiler(out, programs) {
  const targets = programs.map((program) => join(out, basename(program)))
  if (oldest(targets) > newest(['native', 'CMakeLists.txt'])) return true
  mkdirSync(join(root, out), { recursive: true })
  const watcher = 'native/linux/watcher/main.c'
  if (!run(process.execPath, ['native/embed-watcher.mjs', watcher, `${out}/watcher_image.h`])) return false
  const sources = [...listed('VITRINE_CORE_SOURCES'), ...listed('VITRINE_TEST_SOURCES')]
  const objects = sources.map((source) => `${out}/${source.replaceAll('/', '_')}.o`)
  const compiled = sources.every((source, i) => compile(['-c', source, `-I${out}`, '-o', objects[i]]))
  return (
    compiled &&
    programs.every((program) =>
      compile([`native/test/${program}.c`, ...objects, '-o', `${out}/${basename(program)}`]),
    )
  )
}

function compile(args) {
  const [compiler, ...prefix] = (process.env.CC ?? 'cc').split(' ')
  return run(compiler, [...prefix, ...FLAGS, ...SANITIZERS, ...args])
}

// Shows what a step printed only when it failed.
function run(program, args) {
  const result = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (result.status === 0) return true
  console.error(
    `native tests: ${program} ${args.join(' ')} failed${result.error ? `: ${result.error.message}` : ''}`,
  )
  console.error(`${result.stdout ?? ''}${result.stderr ?? ''}`)
  return false
}

function passes(program) {
  return new Promise((resolve) => {
    execFile(program, { timeout: 600_000 }, (error, stdout, stderr) => {
      const cause = error && `exit ${error.code ?? error.signal ?? error.message}`
      console.log(`${error ? 'FAILED' : 'ok    '} ${stdout.trim() || program}${error ? ` (${cause})` : ''}`)
      if (error) console.error(stderr)
      resolve(!error)
    })
  })
}
