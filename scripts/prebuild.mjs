// Makes prebuilds/PLATFORM-ARCH/vitrine.node: every one that this machine has a compiler for, or those that are named ("here":
// this machine's own).
// The sources are built in a directory of their own, so that build/ stays as it is.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildAddon, missingCompiler } from './cross-windows.mjs'
import { root } from './freshness.mjs'

const prebuilds = join(root, 'prebuilds')

/** Per target: how it is made here, and why not. */
const targets = {
  'linux-x64': linux('x64', 'x86_64-linux-gnu'),
  'linux-arm64': linux('arm64', 'aarch64-linux-gnu'),
  'win32-x64': windows('x64'),
  'win32-arm64': windows('arm64'),
}

const own = `${process.platform}-${process.arch}`
const wanted = process.argv.slice(2).map((name) => (name === 'here' ? own : name))
const names = (wanted.length > 0 ? wanted : Object.keys(targets)).filter(
  (name) => !name.startsWith('darwin-'),
)
for (const name of names) {
  const target = targets[name]
  const missing = target ? target.missing() : 'there is no such target'
  if (missing) {
    console.log(`prebuild ${name}: not made, ${missing}`)
    // What was asked for by name has to be made.
    if (wanted.length > 0) process.exitCode = 1
    continue
  }
  mkdirSync(join(prebuilds, name), { recursive: true })
  target.build()
  console.log(`prebuild ${name}: made`)
}

function linux(arch, triple) {
  return {
    missing() {
      if (process.platform !== 'linux') return 'this is not Linux'
      if (process.arch === arch || isInstalled(`${triple}-gcc`)) return undefined
      return `${triple}-gcc is missing (Debian: g++-${triple.replace('_', '-')})`
    },
    build: () => prebuildify(arch, process.arch === arch ? {} : compilers(triple)),
  }
}

/** The compiler of Windows makes what is released; mingw, which prebuildify and node-gyp cannot drive, what tests use elsewhere. */
function windows(arch) {
  const here = process.platform === 'win32'
  return {
    missing() {
      if (here) return undefined
      return arch === 'x64' ? missingCompiler() : 'it is made on Windows'
    },
    build: () =>
      here ? prebuildify(arch, {}) : buildAddon(join(prebuilds, `win32-${arch}`, 'vitrine.node')),
  }
}

function compilers(triple) {
  return { CC: `${triple}-gcc`, CXX: `${triple}-g++`, AR: `${triple}-ar`, STRIP: `${triple}-strip` }
}

function prebuildify(arch, environment) {
  const work = mkdtempSync(join(tmpdir(), 'vitrine-prebuild-'))
  try {
    // No link to node_modules: makefiles do not quote, and the path of this checkout may hold a blank.
    for (const name of ['native', 'binding.gyp', 'package.json', 'node_modules/node-addon-api'])
      cpSync(join(root, name), join(work, name), { recursive: true })
    const options = ['--napi', '--strip', '--strip-bin', environment.STRIP ?? 'strip', '--arch', arch]
    const target = ['--target', process.version, '--cwd', work, '--out', root]
    const program = join(root, 'node_modules/prebuildify/bin.js')
    run(process.execPath, [program, ...options, ...target], work, { ...headers(), ...environment })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

/** A Node installed with its headers needs no download of them. */
function headers() {
  const prefix = dirname(dirname(process.execPath))
  return existsSync(join(prefix, 'include/node/node_api.h')) ? { npm_config_nodedir: prefix } : {}
}

function isInstalled(program) {
  return spawnSync(program, ['--version'], { stdio: 'ignore' }).status === 0
}

function run(program, args, cwd, environment) {
  const { status, stdout, stderr } = spawnSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
  })
  if (status === 0) return
  console.error(`${stdout}${stderr}`)
  throw new Error(`${program} ${args.join(' ')} failed`)
}
