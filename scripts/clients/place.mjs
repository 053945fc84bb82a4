// Where clients are kept and run: a cache outside of the repository, and an empty home for each.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../freshness.mjs'

export const program = join(root, 'dist/cli.cjs')

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'vitrine-tests')

/** Installs a pinned package into the cache, unless it is there; returns the directory of its programs. */
export function installed(...packages) {
  const directory = join(cache, packages.join('+').replaceAll(/[^\w.+-]/g, '_'))
  const stamp = join(directory, '.installed')
  if (existsSync(stamp)) return join(directory, 'node_modules')
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  const args = ['install', '--save-exact', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  const npm = spawnSync('npm', args, { cwd: directory, stdio: ['ignore', 2, 2] })
  if (npm.status !== 0) throw new Error(`npm install ${packages.join(' ')} failed`)
  writeFileSync(stamp, '')
  return join(directory, 'node_modules')
}

const homes = []

/** A home directory with nothing in it. */
export function makeHome() {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-client-'))
  homes.push(directory)
  return directory
}

export function removeHomes() {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true })
}

/** The environment of a client: nothing of ours but a PATH. */
export function bare(home, ...programs) {
  const path = [...programs, dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin']
  return { HOME: home, PATH: path.join(':'), TMPDIR: home, TERM: 'dumb', NO_COLOR: '1', LANG: 'C.UTF-8' }
}

/** Runs a program to its end, a minute at most; both of its streams come back as one text. */
export function run(file, args, { env, cwd = env.HOME, timeoutMs = 60_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'], timeout: timeoutMs })
    const said = { stdout: '', text: '' }
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk
      said.text += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.text += chunk
    })
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...said }))
  })
}

/** Puts the server's entry into a client's configuration. */
export async function installServer(client, home, ...options) {
  const args = [program, 'mcp', 'install', client, '--write', ...options]
  const { code, text } = await run(process.execPath, args, { env: bare(home) })
  if (code !== 0) throw new Error(text)
}

/** Throws unless the text holds what is wanted. */
export function expect(text, wanted) {
  const holds = wanted instanceof RegExp ? wanted.test(text) : text.includes(wanted)
  if (!holds) throw new Error(`wanted ${wanted}, got:\n${text.slice(0, 2000)}`)
}
