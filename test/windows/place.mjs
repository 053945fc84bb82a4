// What the tests of Windows share. Plain modules: they run in a Windows Node, where nothing compiles TypeScript.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
const root = fileURLToPath(new URL('../..', import.meta.url))
const highLevel = 0x3000

export const actor = join(root, 'build/windows/actor.exe')

/** The addon: as it is released, or the test build that takes a level it is told to take. */
export function useAddon(kind) {
  process.env.VITRINE_ADDON = join(root, 'build/windows', kind, 'prebuilds/win32-x64/vitrine.node')
  return require(process.env.VITRINE_ADDON)
}

/** On a system without integrity levels (Wine) the test build is told to take any; elsewhere the released one is tested. */
export function acceptAnyLevel() {
  if (!useAddon('released').probe().held) useAddon('override').acceptIntegrity(highLevel)
}

/** Why a test that talks to the double of powershell.exe cannot run, if so. */
export const realPowershell = process.env.VITRINE_DOUBLE ? false : 'here is a real PowerShell'
export const doubledPowershell = process.env.VITRINE_DOUBLE ? 'powershell.exe is a double here' : false

export function makeDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  // rmSync() does not wait for a directory that is in use, as that of a console is for a while; rm() does.
  after(() => rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  return directory
}

/** A shell with settings of its own, closed after the file's last test. */
export async function openTestShell({ toml = '', ...options } = {}) {
  const { openShell } = await import('../../dist/index.js')
  const home = makeDirectory()
  const config = join(home, 'config.toml')
  writeFileSync(config, toml)
  const env = { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, ...options.env }
  const shell = await openShell({ cwd: home, ...options, config, env })
  after(() => shell.close())
  return shell
}

export function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** Waits until the process is gone; false when it still runs after `ms`. */
export async function isGone(pid, ms = 3000) {
  for (const end = Date.now() + ms; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20)))
    if (!isAlive(pid)) return true
  return !isAlive(pid)
}
