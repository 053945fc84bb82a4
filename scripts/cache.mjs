// What tests need besides the repository's packages, kept outside the repository from one run to the next.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'vitrine-tests')

/** The unpacked directory of a package of the registry, `name@version`, or why it cannot be had. */
export function fetchPackage(specifier) {
  const directory = join(cache, specifier.replace(/^@/, '').replaceAll(/[@/]/g, '-'))
  if (existsSync(directory)) return { directory }
  mkdirSync(cache, { recursive: true })
  const work = mkdtempSync(join(cache, 'fetch-'))
  try {
    const packed = run('npm', ['pack', specifier, '--silent', '--pack-destination', work], work)
    if (packed.status !== 0) return { missing: `npm pack ${specifier} failed` }
    const archive = packed.stdout.trim().split('\n').at(-1)
    if (run('tar', ['xzf', archive], work).status !== 0)
      return { missing: `${archive} could not be unpacked` }
    renameSync(join(work, 'package'), directory)
    return { directory }
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function run(program, args, cwd) {
  return spawnSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
}
