import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'

/** Opens a file through 38 links, each with 1900 names: to ask about each name takes seconds, to follow them milliseconds. */
const program = `
import os
top = os.environ['TMPDIR']
deep = top + '/d' * 1900
os.chdir(top)
open('end', 'w').close()
for _ in range(1900): os.mkdir('d'); os.chdir('d')
for at in range(38): os.symlink(deep + '/l%d' % (at + 1) if at < 37 else top + '/end', 'l%d' % at)
os.chdir(top)
os.symlink(deep + '/l0', 'l')
for _ in range(10): os.write(os.open('l', os.O_WRONLY), b'x')
print('written')
`

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a path of very many names', () => {
  it('is left to the kernel, and no other command is refused because of it', async () => {
    const shell = await openTestShell({ cwd: makeDirectory(), mode: 'read', privateTmp: true })
    const long = shell.execute({ argv: ['python3', '-c', program], timeoutMs: 100_000 })
    const others = []
    let isOver = false
    const ended = long.finally(() => {
      isOver = true
    })
    while (!isOver)
      others.push(await shell.execute({ command: 'for at in 1 2 3; do echo x > /dev/null; done' }))
    expect(await ended).toMatchObject({ stdout: 'written\n' })
    expect(others.filter(({ exitCode }) => exitCode !== 0)).toEqual([])
  })
})
