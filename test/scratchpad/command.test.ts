import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home, misused } from '../cli/vitrine.ts'
import { nobody, whyNot } from '../helpers/other-users.ts'
import { makeDirectory } from '../helpers/place.ts'

/** With a TMPDIR of its own: outputs that could not be saved in the state directory stand in the machine's. */
function ownHome(): Home {
  const home = new Home()
  home.env['TMPDIR'] = makeDirectory()
  return home
}

describe('vitrine scratchpad', () => {
  it('list, show and clear what commands left', async () => {
    const home = ownHome()
    expect((await home.run(['scratchpad', 'list'])).stdout).toBe('nothing saved\n')
    const command = String.raw`printf 'a\000\377'; exit 3`
    await home.run(['run', '--scratchpad', 'raw', '--', command])
    await home.run(['run', '--scratchpad', 'text', '--', 'echo hello'])
    const listed = await home.run(['scratchpad', 'list'])
    expect(listed.stdout).toMatch(/^ {2}raw {2}3 B {2}\S+ {2}exit 3 {2}printf 'a/m)
    expect(listed.stdout).toMatch(/^ {2}text {2}6 B {2}\S+ {2}exit 0 {2}echo hello$/m)
    const { sessions } = JSON.parse((await home.run(['scratchpad', 'list', '--json'])).stdout)
    expect(sessions).toHaveLength(2)
    expect(sessions[0].entries[0]).toMatchObject({
      name: 'raw',
      bytes: 3,
      metadata: { exitCode: 3, command },
    })
    const shown = await home.run(['scratchpad', 'show', 'raw'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.bytes).toEqual(Buffer.from('a\0\xff', 'latin1'))
    expect((await home.run(['scratchpad', 'show', `${sessions[1].session}/text`])).stdout).toBe('hello\n')
    expect((await home.run(['scratchpad', 'clear'])).stdout).toBe('removed 2 sessions (9 B)\n')
    expect((await home.run(['scratchpad', 'list'])).stdout).toBe('nothing saved\n')
  })

  it.each([
    [[], 'needs one of: list, show, clear.'],
    [['remove'], 'has no "remove"'],
    [['show'], 'Choose one: vitrine scratchpad list'],
    [['show', 'a', 'b'], '"b" is unexpected'],
    [['show', 'nothing'], 'Nothing is saved under "nothing".'],
    [['show', '../../../etc/passwd'], 'Nothing is saved under'],
    [['clear', 'all'], '"all" is unexpected'],
    [['list', '--all'], '--all'],
  ])('%j is refused with what to do', async (args, told) => {
    const ran = await ownHome().run(['scratchpad', ...args])
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(told)
    expect(ran.stdout).toBe('')
  })

  it.skipIf(process.getuid?.() !== 0 || whyNot(nobody) !== null)(
    'a session of another user, as sudo leaves it, hinders neither saving nor listing',
    async () => {
      const home = ownHome()
      const others = join(home.env['XDG_STATE_HOME'] ?? '', 'vitrine/scratchpad/another')
      mkdirSync(others, { recursive: true, mode: 0o700 })
      for (let at = dirname(others); at !== dirname(home.directory); at = dirname(at))
        chownSync(at, nobody.uid, nobody.gid)
      const { uid } = nobody
      const env = { TMPDIR: home.directory }
      const ran = await home.run(['run', '--json', '--', 'seq 100000'], { uid, env })
      expect(JSON.parse(ran.stdout)).toMatchObject({ exitCode: 0, scratchpad: { bytes: 588_895 } })
      const listed = await home.run(['scratchpad', 'list'], { uid, env })
      expect(listed).toMatchObject({ code: 0, stdout: expect.stringContaining('588.9 kB') })
    },
  )
})

describe.skipIf(whyNot(nobody) !== null)('what belongs to another user', () => {
  const home = ownHome()
  const root = join(home.directory, '.state/vitrine/scratchpad')
  const asNobody = (...args: string[]) => home.run(args, { uid: nobody.uid, cwd: '/' })
  for (const directory of [home.directory, home.env['TMPDIR'] ?? '']) chmodSync(directory, 0o777)

  it('hides no output of the user, and keeps none from being saved', async () => {
    await asNobody('run', '--scratchpad', 'before', '--', 'echo before')
    mkdirSync(join(root, 'another'), { mode: 0 })
    expect((await asNobody('run', '--scratchpad', 'after', '--', 'echo after')).stderr).toContain(root)
    expect((await asNobody('scratchpad', 'show', 'before')).stdout).toBe('before\n')
    expect((await asNobody('scratchpad', 'show', 'after')).stdout).toBe('after\n')
    expect(await asNobody('scratchpad', 'clear')).toMatchObject({ code: 0, stderr: '' })
  })

  it('is named where nothing can be listed', async () => {
    chmodSync(root, 0)
    const listed = await asNobody('scratchpad', 'list')
    expect(listed).toMatchObject(misused(`${root} cannot be read`))
  })
})
