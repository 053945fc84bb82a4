// Cross-compiles for Windows with mingw: the addon, and the programs that its tests start.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { root } from './freshness.mjs'

const require = createRequire(import.meta.url)
const prefix = 'x86_64-w64-mingw32'
/** On Windows the compiler of programs goes by its plain name. */
const compiler = process.platform === 'win32' ? 'gcc' : `${prefix}-gcc-posix`

/** Why nothing can be built, or undefined. */
export function missingCompiler() {
  const found = spawnSync(`${prefix}-g++-posix`, ['--version'], { stdio: 'ignore' }).status === 0
  return found ? undefined : 'mingw is missing (Debian: g++-mingw-w64-x86-64-posix)'
}

/** The addon. With `override` its tests can raise the integrity level that is accepted; never in what is released. */
export function buildAddon(target, { override = false } = {}) {
  const headers = require('node-api-headers')
  mkdirSync(dirname(target), { recursive: true })
  const library = join(root, 'build/windows/libnode.a')
  mkdirSync(dirname(library), { recursive: true })
  run(`${prefix}-dlltool`, ['-d', headers.def_paths.node_api_def, '-D', 'node.exe', '-l', library])
  const sources = readdirSync(join(root, 'native/windows')).filter((name) => name.endsWith('.cc'))
  run(`${prefix}-g++-posix`, [
    ...[
      '-std=c++17',
      '-O2',
      '-ffunction-sections',
      '-Wl,--gc-sections',
      '-shared',
      '-static',
      '-s',
      '-fno-exceptions',
      '-fno-rtti',
    ],
    ...['-Wall', '-Wextra', '-Werror', '-Wno-unused-parameter', '-Wno-missing-field-initializers'],
    ...[
      '-DNAPI_VERSION=8',
      '-DNAPI_DISABLE_CPP_EXCEPTIONS',
      '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS',
      '-DNODE_ADDON_API_DISABLE_DEPRECATED',
    ],
    ...['-DBUILDING_NODE_EXTENSION', '-D_WIN32_WINNT=0x0A00', ...(override ? ['-DVITRINE_OVERRIDE'] : [])],
    ...['-isystem', headers.include_dir, '-isystem', join(root, 'node_modules/node-addon-api')],
    ...['native/binding.cc', ...sources.map((name) => `native/windows/${name}`)],
    ...['-o', target, library, '-ladvapi32'],
  ])
}

/** One program of test/fixtures/windows. */
export function buildProgram(name, target) {
  mkdirSync(dirname(target), { recursive: true })
  const flags = ['-municode', '-O1', '-static', '-s', '-Wall', '-Wextra', '-Werror']
  run(compiler, [...flags, `test/fixtures/windows/${name}.c`, '-o', target, '-lcrypt32'])
}

function run(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? `${stdout}${stderr}`}`)
}
