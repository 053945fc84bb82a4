import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { errorCode } from '../../src/base/errno.ts'
import { type Host, thisHost } from '../../src/host/host.ts'
import type { ShellOptions } from '../../src/host/shell-options.ts'
import { openShellOn, type Shell } from '../../src/shell.ts'
import { afterFile } from './clean-up.ts'

/** A directory of the test file's own, removed after its last test. */
export function makeDirectory(): string {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-test-')))
  afterFile(() => removeDirectory(directory))
  return directory
}

/**
 * A process that a test has just ended may still make a file: rmSync with `maxRetries` does not look for new ones. What a test has shut
 * is opened: an ordinary user could not remove it.
 */
async function removeDirectory(directory: string): Promise<void> {
  for (let tries = 50; ; tries--)
    try {
      return rmSync(directory, { recursive: true, force: true })
    } catch (error) {
      if (tries === 0) throw error
      if (errorCode(error) === 'EACCES') spawnSync('chmod', ['-R', 'u+rwX', directory], { stdio: 'ignore' })
      await setTimeout(20)
    }
}

export interface TestShellOptions extends Omit<ShellOptions, 'config'> {
  /** The user's configuration, as TOML. */
  readonly toml?: string
  readonly host?: Host
}

/** Opens a shell whose configuration and state directories are its own; closed after the file's last test. */
export async function openTestShell({ toml, host, ...options }: TestShellOptions = {}): Promise<Shell> {
  const home = makeDirectory()
  const config = join(home, 'config.toml')
  writeFileSync(config, toml ?? '')
  const shell = await openShellOn(host ?? thisHost(), {
    cwd: home,
    ...options,
    config,
    env: { ...process.env, XDG_STATE_HOME: home, XDG_CONFIG_HOME: home, ...options.env },
  })
  afterFile(() => shell.close())
  return shell
}
