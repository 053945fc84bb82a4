import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode, Result } from '../../../src/base/types.ts'
import { gitEnvironment } from '../../helpers/git.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { endAll, makeMarker, survivors, waitFor } from '../../helpers/processes.ts'
import { isInstalled } from '../../helpers/programs.ts'

/** Longer than a process needs to say its last words on a busy machine: a process that is killed at once says none. */
const patient = '[shell]\nkill_grace_ms = 20000\n'

/** Says that it is there, and on SIGTERM, a moment later, that it was asked to end. */
const polite = `#!/bin/sh
trap 'sleep 0.2; : > "$1.asked"; echo "last words of $1"; exit' TERM
: > "$1.there"
while :; do sleep 0.02; done
`

/** How a process can be left behind; `$0` is the polite program. */
const ways = {
  'in the group of its command': '"$0" one & until [ -e one.there ]; do sleep 0.01; done',
  'two of them': '"$0" one & "$0" two & until [ -e one.there -a -e two.there ]; do sleep 0.01; done',
  'in a session of its own': 'setsid "$0" one & until [ -e one.there ]; do sleep 0.01; done',
  ...(isInstalled('perl') && {
    'in a group of its own':
      'perl -e "setpgrp; exec @ARGV" "$0" one & until [ -e one.there ]; do sleep 0.01; done',
  }),
  stopped: '"$0" one & until [ -e one.there ]; do sleep 0.01; done; kill -STOP $!',
}

interface Left {
  readonly result: Result
  readonly asked: readonly string[]
  readonly there: readonly string[]
}

async function leave(mode: Mode, way: string, stop?: 'deadline' | 'abort'): Promise<Left> {
  const cwd = makeDirectory()
  execFileSync('git', ['init', '-q', cwd])
  const program = join(cwd, 'polite')
  writeFileSync(program, polite, { mode: 0o755 })
  const shell = await openTestShell({ cwd, mode, toml: patient })
  const abort = new AbortController()
  const line = stop ? `${way}; echo ready; while :; do sleep 1; done` : `${way}; echo ready`
  const result = await shell.execute(
    { argv: ['sh', '-c', line, program], timeoutMs: stop === 'deadline' ? 3000 : 100_000 },
    {
      signal: abort.signal,
      onOutput: (_, chunk) => void (stop === 'abort' && chunk.includes('ready') && abort.abort()),
    },
  )
  const named = (end: string) => readdirSync(cwd).filter((name) => name.endsWith(end))
  const bare = (end: string) => named(end).map((name) => name.slice(0, -end.length))
  return { result, asked: bare('.asked'), there: bare('.there') }
}

describe.runIf(process.platform === 'linux')(
  'what a command leaves is asked to end, and given the grace',
  () => {
    it.concurrent.for(Object.entries(ways))('by a command that ends by itself: %s', async ([, way]) => {
      const { result, asked, there } = await leave('workspace', way)
      expect(asked).toEqual(there)
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, outcome: { kind: 'exited', code: 0 } })
      for (const name of there) expect(result.stdout).toContain(`last words of ${name}\n`)
      expect(result.survivorsKilled).toBeGreaterThanOrEqual(there.length)
    })

    for (const stop of ['deadline', 'abort'] as const)
      for (const mode of ['workspace', 'write'] as const)
        it.concurrent.for(Object.entries(ways).slice(2))(
          `by a command of ${mode} mode, at its ${stop}: %s`,
          async ([, way]) => {
            const { result, asked, there } = await leave(mode, way, stop)
            expect(there).not.toEqual([])
            expect(asked).toEqual(there)
            expect(result).toMatchObject({ timedOut: stop === 'deadline', cancelled: stop === 'abort' })
          },
        )

    it('one that is deaf to SIGTERM is killed after the grace, and the command has ended by itself', async () => {
      const marker = makeMarker()
      const shell = await openTestShell({ mode: 'read', toml: '[shell]\nkill_grace_ms = 1500\n' })
      // The deadline passes within the grace.
      const command = `(trap '' TERM; exec sleep ${marker}) & sleep 0.2; echo over`
      const result = await shell.execute({ command, timeoutMs: 1000 })
      const left = await survivors(marker, 0)
      await endAll(marker)
      expect(left).toEqual([])
      expect(result).toMatchObject({ exitCode: 0, timedOut: false, stdout: 'over\n', survivorsKilled: 1 })
      expect(result.durationMs).toBeGreaterThanOrEqual(1500)
    })

    it('a caller who gives up during the grace is told that the command was cancelled', async () => {
      const cwd = makeDirectory()
      execFileSync('git', ['init', '-q', cwd])
      const shell = await openTestShell({ cwd, mode: 'workspace', toml: '[shell]\nkill_grace_ms = 3000\n' })
      const abort = new AbortController()
      const command = `sh -c 'trap ": > asked" TERM; : > there; while :; do sleep 0.02; done' & until [ -e there ]; do sleep 0.01; done`
      const running = shell.execute({ command, timeoutMs: 100_000 }, { signal: abort.signal })
      expect(await waitFor(() => existsSync(join(cwd, 'asked')))).toBe(true)
      abort.abort()
      expect(await running).toMatchObject({ cancelled: true, timedOut: false, exitCode: 0 })
    })
  },
)

const hasGit = process.platform === 'linux' && isInstalled('git')

describe.runIf(hasGit)('git in workspace mode leaves no lock behind', () => {
  function makeRepository(...settings: string[]) {
    const home = makeDirectory()
    const cwd = join(home, 'work')
    const env = gitEnvironment(home)
    const git = (...args: string[]) => execFileSync('git', args, { cwd, env, encoding: 'utf8' })
    mkdirSync(cwd)
    git('init', '-q')
    for (const setting of ['user.name a', 'user.email a@b.c', ...settings])
      git('config', ...setting.split(' '))
    return { cwd, git, home }
  }

  it('when a commit still runs in the background', async () => {
    const { cwd, git, home } = makeRepository()
    writeFileSync(join(cwd, 'file'), '1')
    git('add', 'file')
    const hook = '#!/bin/sh\n[ -e .git/index.lock ] && : > hooked\nexec sleep 100\n'
    writeFileSync(join(cwd, '.git/hooks/pre-commit'), hook, { mode: 0o755 })
    const shell = await openTestShell({ cwd, mode: 'workspace', toml: patient, env: { HOME: home } })
    const line = 'git commit -qam x & until [ -e hooked ]; do sleep 0.01; done'
    expect(await shell.execute({ command: line })).toMatchObject({ exitCode: 0 })
    expect(readdirSync(join(cwd, '.git')).filter((name) => name.endsWith('.lock'))).toEqual([])
    expect(() => git('add', 'file')).not.toThrow()
  })

  it.each(['commit', 'merge'])('when a %s starts the automatic gc, which ends with it', async (after) => {
    const { cwd, git, home } = makeRepository('gc.auto 1')
    // Two of them are in .git/objects/17, by which git estimates their number.
    for (let n = 0; n < 120; n++) writeFileSync(join(cwd, `file-${n}`), `${n}`)
    git('add', '.')
    git('-c', 'gc.auto=0', 'commit', '-qm', 'first')
    git('branch', 'other')
    git('-c', 'gc.auto=0', 'commit', '-q', '--allow-empty', '-m', 'second')
    const lines = {
      commit: 'git commit -q --allow-empty -m x',
      merge: 'git switch -q other; git merge -q --no-edit -',
    }
    const shell = await openTestShell({ cwd, mode: 'workspace', env: { HOME: home } })
    const result = await shell.execute({ command: lines[after as 'commit'], timeoutMs: 100_000 })
    expect(result).toMatchObject({ exitCode: 0, survivorsKilled: 0, denials: [] })
    const left = readdirSync(join(cwd, '.git')).filter((name) => /^gc\.(?:log|pid)/.test(name))
    expect(left).toEqual([])
    expect(Number.parseInt(git('count-objects'), 10)).toBeLessThan(10)
  })

  it('the settings come after those that the user gives, and write mode gets none', async () => {
    const { cwd } = makeRepository()
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.abbrev', GIT_CONFIG_VALUE_0: '12' }
    const toml = `[env]\npass = ${JSON.stringify(Object.keys(env))}\n`
    const settings = async (mode: Mode) => {
      const shell = await openTestShell({ cwd, mode, env, toml })
      const { stdout } = await shell.execute({ argv: ['git', 'config', '--list'] })
      return stdout.split('\n')
    }
    for (const mode of ['read', 'workspace'] as const) {
      const upkeep = ['core.abbrev=12', 'gc.autodetach=false', 'maintenance.autodetach=false']
      expect(await settings(mode)).toEqual(expect.arrayContaining(upkeep))
    }
    const written = await settings('write')
    expect(written).toContain('core.abbrev=12')
    expect(written.filter((line) => /autodetach/.test(line))).toEqual([])
    expect(readFileSync(join(cwd, '.git/config'), 'utf8')).not.toMatch(/detach/i)
  })
})
