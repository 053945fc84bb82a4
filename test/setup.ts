import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyForOthers, nobody, whyNot } from './helpers/other-users.ts'
import { repository } from './helpers/repository.ts'

/**
 * Before the first test: the addon and dist/ as the sources are now (both scripts do nothing when they are), modes of
 * fixtures that do not depend on the user's umask, and for root a place that other users can read.
 */
export default function setup(): () => void {
  process.umask(0o022)
  // Node 20 reads these certificates at each start, which takes longer than the rest of it; tests speak to loopback only.
  delete process.env['NODE_EXTRA_CA_CERTS']
  process.env['PATH'] = withoutShims(process.env['PATH'] ?? '')
  for (const script of ['build-native', 'build-ts'])
    execFileSync(process.execPath, [`scripts/${script}.mjs`], { cwd: repository, stdio: 'inherit' })
  const made = [useOwnPlaces(), ...copyIfNeeded()]
  return () => {
    for (const directory of made) rmSync(directory, { recursive: true, force: true })
  }
}

/** A shell whose test names no places for it finds no settings of the user's, and keeps nothing in his home directory. */
function useOwnPlaces(): string {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-places-'))
  for (const name of ['XDG_CONFIG_HOME', 'XDG_STATE_HOME']) process.env[name] = join(directory, name)
  return directory
}

function copyIfNeeded(): string[] {
  if (process.getuid?.() !== 0 || whyNot(nobody) === null) return []
  const copy = copyForOthers()
  process.env['VITRINE_TEST_COPY'] = copy
  return [copy]
}

/** The shims of pyenv and others run a shell script of many processes at each start: tests start some hundred programs in Python. */
function withoutShims(path: string): string {
  const rest = path.split(':').filter((directory) => !directory.endsWith('/shims'))
  return rest.some((directory) => existsSync(join(directory, 'python3'))) ? rest.join(':') : path
}
