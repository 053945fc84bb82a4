// Builds the native unit tests with sanitizers, where something changed, and runs them: one line a program, exit 1 on any failure.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
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

if (process.platform === 'linux') process.exitCode = main()
else console.log('native tests: skipped, the native core is for Linux')

function main() {
  const cmake = isInstalled('cmake')
  const out = join('build', cmake ? 'native-test' : 'native-test-cc')
  const programs = listed('VITRINE_TEST_PROGRAMS')
  const built = cmake ? buildWithCmake(out) : buildWithCompiler(out, programs)
  if (!built) return 1
  const failed = programs.filter((program) => !passes(join(root, out, basename(program))))
  console.log(`native tests: ${programs.length - failed.length} of ${programs.length} programs passed`)
  return failed.length === 0 ? 0 : 1
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
function buildWithCmake(out) {
  const configure = ['-S', '.', '-B', out, '-DVITRINE_TESTS=ON', '-DCMAKE_BUILD_TYPE=Debug']
  if (spawnSync('cmake', configure, { cwd: root, stdio: 'ignore' }).status !== 0) {
    rmSync(join(root, out), { recursive: true, force: true })
    if (!run('cmake', configure)) return false
  }
  return run('cmake', ['--build', out, '--parallel', '2'])
}

// Without cmake: everything again as soon as anything is newer than the oldest program.
function buildWithCompiler(out, programs) {
  const targets = programs.map((program) => join(out, basename(program)))
  if (oldest(targets) > newest(['native', 'CMakeLists.txt'])) return true
  mkdirSync(join(root, out), { recursive: true })
  const watcher = ['native/linux/watcher/main.c', 'native/linux/watcher/cgroups.c']
  if (!run(process.execPath, ['native/embed-watcher.mjs', ...watcher, `${out}/watcher_image.h`])) return false
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
  const result = spawnSync(program, [], { encoding: 'utf8', timeout: 120_000 })
  const passed = result.status === 0
  const cause = result.error?.message ?? `exit ${result.status ?? result.signal}`
  console.log(
    `${passed ? 'ok    ' : 'FAILED'} ${result.stdout?.trim() || program}${passed ? '' : ` (${cause})`}`,
  )
  if (!passed) console.error(result.stderr)
  return passed
}
