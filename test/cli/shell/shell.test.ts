import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { isInstalled } from '../../helpers/programs.ts'
import { Tmux } from '../../helpers/tmux.ts'
import { homeForShells, startShell } from './shells.ts'

describe.runIf(process.platform === 'linux')('with another standard input', () => {
  const home = homeForShells()
  const cwd = join(home.directory, 'work')
  const script = (shell: string | undefined, input: string, ...args: string[]) =>
    home.run(['shell', ...args], { cwd, input, env: { SHELL: shell } })

  it('$SHELL reads it as a script, whose output and exit code are its own', async () => {
    const ran = await script('/bin/bash', 'cd /; pwd; echo "$BASH" >&2; [[ a == a ]] && exit 5\necho never\n')
    expect(ran).toMatchObject({ stdout: '/\n', stderr: '/bin/bash\n', code: 5 })
  })

  it.each([undefined, ''])('sh does where SHELL is %j', async (shell) => {
    expect(await script(shell, 'echo "$0"\n')).toMatchObject({ stdout: 'sh\n', code: 0 })
  })

  it('a file is read as far as the shell reads it', async () => {
    writeFileSync(join(cwd, 'steps'), 'read line\nfor the script\necho "$line"\n')
    const ran = await home.shell('vitrine shell <work/steps', { env: { SHELL: '/bin/bash' } })
    expect(ran).toMatchObject({ stdout: 'for the script\n', code: 0 })
  })

  it('the mode holds it, and its end tells what was refused', async () => {
    const held = await script('/bin/sh', 'echo x >kept; false\n')
    expect(held.code).toBe(1)
    expect(held.stderr).toContain(join(cwd, 'kept'))
    expect(readFileSync(join(cwd, 'kept'), 'utf8')).toBe('as it was\n')
    expect(await script('/bin/sh', 'echo x >made\n', '--mode', 'workspace')).toMatchObject({ code: 0 })
    expect(readFileSync(join(cwd, 'made'), 'utf8')).toBe('x\n')
  })

  it('no deadline of the configuration ends it, and no limit of output', async () => {
    home.configure('[shell]\ntimeout_ms = 100\nmax_timeout_ms = 100\n[output]\nmax_bytes = 10\n')
    const ran = await script('/bin/sh', 'sleep 0.5; echo twenty characters long\n')
    home.configure('')
    expect(ran).toMatchObject({ stdout: 'twenty characters long\n', stderr: '', code: 0 })
  })

  it('the policy decides about the shell', async () => {
    home.configure('[policy]\ndeny = ["bash"]\n')
    const ran = await script('/bin/bash', 'echo never\n')
    home.configure('')
    expect(ran).toMatchObject({ stdout: '', code: 125 })
  })

  it('a SHELL that is not there is said', async () => {
    expect(await script('/nowhere/sh', '')).toMatchObject({ stdout: '', code: 127 })
  })

  const misuses = ['--pty', 'word', '--timeout 3s', '--shell bash', '--write --network']
  it.each(misuses)('vitrine shell %s is refused', async (args) => {
    expect(await script('/bin/sh', 'echo never\n', ...args.split(' '))).toMatchObject({
      code: 125,
      stdout: '',
    })
  })
})

const missing = ['bash', 'tmux'].find((name) => !isInstalled(name))

describe.skipIf(missing)(`in a terminal${missing ? ` (${missing} is not installed)` : ''}`, () => {
  const home = homeForShells()
  const cwd = join(home.directory, 'work')
  let terminal: Tmux

  beforeEach(() => {
    terminal = new Tmux({ ...home.env, SHELL: '/bin/bash' }, cwd)
  })

  it('it is said which mode holds the shell, and at its end what was refused: not its history', async () => {
    await startShell(terminal)
    terminal.line('rm kept; touch made; exit 3')
    const screen = await terminal.shows(/^code 3\n icanon/m)
    expect(screen).toContain('vitrine: read mode: the operating system refuses every change.')
    expect(screen.match(/^vitrine: refused to .*$/gm)).toEqual([
      `vitrine: refused to delete ${cwd}/kept (rm)`,
      `vitrine: refused to create ${cwd}/made (touch)`,
    ])
  })

  it('a private TMPDIR is one for the whole shell', async () => {
    await startShell(terminal, '--private-tmp')
    terminal.line('echo "kept there" >"$TMPDIR/a"')
    terminal.line('cat "$TMPDIR/a"; exit')
    await terminal.shows(/^kept there\n(.*\n)*code 0$/m)
  })

  it('--ask asks about the shell of write mode, and no means none', async () => {
    terminal.line('"$NODE_PROGRAM" "$CLI_PROGRAM" shell --write --ask; echo "code $?"')
    await terminal.shows('[y]es')
    terminal.key('n')
    await terminal.shows('code 125')
  })
})
