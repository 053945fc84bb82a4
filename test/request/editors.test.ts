import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode, Result } from '../../src/base/types.ts'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'

const modes: readonly Mode[] = ['workspace', 'write']

/** Waits in a terminal's place, as vi(1) does, longer than a command may. */
const waiting = '#!/bin/sh\nexec sleep 600\n'

interface Place {
  readonly cwd: string
  readonly home: string
  /** An editor that waits. */
  readonly editor: string
  git(...args: string[]): string
}

/** A repository with a commit and a staged change, whose user has configured an editor that waits. */
function makeRepository(): Place {
  const home = makeDirectory()
  const cwd = join(home, 'work')
  mkdirSync(cwd)
  const editor = join(home, 'editor')
  writeFileSync(editor, waiting, { mode: 0o755 })
  const env = { ...gitEnvironment(home), GIT_EDITOR: 'true' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd, env, encoding: 'utf8' })
  git('init', '-q')
  git('config', '--global', 'core.editor', editor)
  git('config', '--global', 'sequence.editor', editor)
  git('config', 'user.name', 'a')
  git('config', 'user.email', 'a@b.c')
  for (const [name, text] of [
    ['one', '1'],
    ['two', '2'],
    ['three', '3'],
  ] as const) {
    writeFileSync(join(cwd, name), text)
    git('add', name)
    if (name !== 'three') git('commit', '-qm', name)
  }
  return { cwd, home, editor, git }
}

async function run(place: Place, mode: Mode, command: string, extra: { env?: object; toml?: string } = {}) {
  const { cwd, home, editor } = place
  const env = { HOME: home, EDITOR: editor, VISUAL: editor, ...extra.env }
  const shell = await openTestShell({ cwd, mode, env, toml: extra.toml ?? '' })
  return shell.execute({ command, timeoutMs: 60_000 })
}

/** The command has ended by itself, and said what to do. */
function expectSentence(result: Result): void {
  expect(result.timedOut).toBe(false)
  expect(result.exitCode).not.toBe(0)
  expect(result.stderr).toMatch(/no terminal.*\n.*git commit -m.*GIT_EDITOR/)
}

const hasGit = process.platform === 'linux' && isInstalled('git')

describe.runIf(hasGit).each(modes)(
  'in %s mode, a command that opens an editor without a terminal',
  (mode) => {
    it.concurrent.each([
      'git commit',
      'git commit -qm 3; git rebase -i HEAD~1',
      'git tag -a v1',
      'git commit -qm 3; git revert -e HEAD',
      'git commit -qm 3; git switch -qc x HEAD~1; git commit -q --allow-empty -m x; git merge --edit -',
      // As crontab(1) and others do it.
      `sh -c "\${VISUAL:-$EDITOR} file"`,
      // As programs do that start an editor without a shell.
      `nice "\${VISUAL:-$EDITOR}" file`,
    ])('fails at once: %s', async (command) => {
      const place = makeRepository()
      const result = await run(place, mode, command)
      expect(result.timedOut).toBe(false)
      expect(result.exitCode).not.toBe(0)
      expect(result.stderr).toContain('no terminal')
    })

    it('fails at once where a merge is continued, with a sentence on what to do', async () => {
      const place = makeRepository()
      const conflict =
        'git commit -qm three; git switch -qc other HEAD~1; echo x > three; git add three; git commit -qm x; git merge master; echo y > three; git add three; '
      place.git('branch', '-M', 'master')
      expectSentence(await run(place, mode, `${conflict} git merge --continue`))
      expect(place.git('log', '-1', '--format=%s')).toBe('x\n')
    })

    it.concurrent.each([
      'git commit -m three',
      'GIT_EDITOR="echo three >" git commit',
      'EDITOR="echo three >" git commit',
      'VISUAL="echo three >" git commit',
      `EDITOR="sh -c 'echo three > \\"\\$1\\"' sh" git commit`,
      'git -c core.editor="echo three >" commit',
      'export EDITOR="echo three >"; git commit',
      'git commit -qm x; GIT_EDITOR="sed -i s/x/three/" git commit --amend',
      'git commit -qm x; GIT_SEQUENCE_EDITOR="sed -i s/pick/reword/" GIT_EDITOR="sed -i s/x/three/" git rebase -i HEAD~1',
      'git commit -qm three; GIT_EDITOR=true git rebase -i HEAD~1',
      'git commit -qm three; git -c sequence.editor=true rebase -i HEAD~1',
    ])('does what a line says that brings its editor: %s', async (command) => {
      const place = makeRepository()
      const result = await run(place, mode, command)
      expect(result).toMatchObject({ exitCode: 0, timedOut: false })
      expect(place.git('log', '-1', '--format=%s')).toBe('three\n')
    })

    it.each([
      ['of the request', { EDITOR: 'echo three >' }, ''],
      ['of [env] set', {}, '[env.set]\nEDITOR = "echo three >"\n'],
      ['that [env] pass names', {}, '[env]\npass = ["MY", "GIT_EDITOR"]\n'],
    ])('uses the editor %s', async (_, env, toml) => {
      const place = makeRepository()
      const shell = await openTestShell({
        cwd: place.cwd,
        mode,
        env: { HOME: place.home, VISUAL: place.editor, GIT_EDITOR: 'echo three >' },
        toml,
      })
      const result = await shell.execute({ command: 'git commit', env, timeoutMs: 60_000 })
      expect(result).toMatchObject({ exitCode: 0 })
      expect(place.git('log', '-1', '--format=%s')).toBe('three\n')
    })

    it('in a terminal opens the one that the user has', async ({ skip }) => {
      const place = makeRepository()
      const script = '#!/bin/sh\n[ -t 0 ] && echo typed > "$1"\n'
      writeFileSync(place.editor, script)
      chmodSync(place.editor, 0o755)
      const shell = await openTestShell({ cwd: place.cwd, mode, env: { HOME: place.home } })
      const terminal = await shell.start({ command: 'git commit', pty: true, timeoutMs: 60_000 })
      expect(await terminal.result).toMatchObject({ exitCode: 0 })
      expect(place.git('log', '-1', '--format=%s')).toBe('typed\n')
      if (mode !== 'write') return skip('only write mode inherits EDITOR')
      const own = await openTestShell({ cwd: place.cwd, mode, env: { HOME: place.home, EDITOR: 'mine' } })
      const shown = await own.start({ command: 'echo "<$EDITOR>"', pty: true })
      expect((await shown.result).output).toContain('<mine>')
    })
  },
)

it('write mode keeps an editor that edits nothing, which hosts of agents set', async () => {
  const shell = await openTestShell({ mode: 'write', env: { GIT_EDITOR: 'true', GIT_SEQUENCE_EDITOR: ':' } })
  const { stdout } = await shell.execute({ argv: ['cat', '/proc/self/environ'] })
  expect(stdout.split('\0')).toEqual(expect.arrayContaining(['GIT_EDITOR=true', 'GIT_SEQUENCE_EDITOR=:']))
  expect(readFileSync('/proc/self/environ', 'utf8')).not.toContain('sequence.editor')
})
