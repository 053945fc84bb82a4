import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseJsonc } from '../../src/base/edits.ts'
import { Home } from '../cli/vitrine.ts'

const settings = '.claude/settings.json'

function homeWith(text?: string | Buffer) {
  const home = new Home()
  for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME']) delete home.env[name]
  const file = join(home.directory, settings)
  mkdirSync(dirname(file))
  if (text !== undefined) writeFileSync(file, text, { mode: 0o640 })
  return { home, file, read: () => readFileSync(file, 'utf8') }
}

const texts: readonly (readonly [string, string])[] = [
  ['two blanks', '{\n  "model": "x",\n  "permissions": { "deny": ["Bash(curl:*)"] }\n}\n'],
  ['tabs and CRLF', '{\r\n\t"env": {\r\n\t\t"A": "b"\r\n\t}\r\n}\r\n'],
  ['one line, no line end', '{"hooks":{"PostToolUse":[{"matcher":"Bash","hooks":[]}]},"z":1}'],
  ['an empty object', '{}'],
]

describe('attach claude', () => {
  it.each(texts)(
    'keeps what is there (%s); a second time changes nothing; detach restores every byte',
    async (_, text) => {
      const { home, file, read } = homeWith(text)
      const first = await home.run(['attach', 'claude'])
      expect(first).toMatchObject({ code: 0 })
      expect(first.stdout).toContain(file)
      const written = read()
      expect(parseJsonc(written)).toMatchObject(parseJsonc(text) as object)
      expect(parseJsonc(written)).toMatchObject({
        env: { CLAUDE_CODE_SHELL: expect.stringMatching(/\/bash$/) },
      })
      expect(statSync(file).mode & 0o777).toBe(0o640)
      expect(await home.run(['attach', 'claude'])).toMatchObject({ code: 0 })
      expect(read()).toBe(written)
      expect(await home.run(['detach', 'claude'])).toMatchObject({ code: 0 })
      expect(read()).toBe(text)
      expect(existsSync(join(home.directory, '.state/vitrine/attached'))).toBe(false)
    },
  )

  it('detach removes the file that attach made', async () => {
    const { home, file } = homeWith()
    await home.run(['attach', 'claude'])
    expect(existsSync(file)).toBe(true)
    await home.run(['detach', 'claude'])
    expect(existsSync(file)).toBe(false)
  })

  it("adds to the user's hooks, and takes out only its own", async () => {
    const own = { matcher: 'Bash', hooks: [{ type: 'command', command: 'true' }] }
    const { home, file, read } = homeWith(JSON.stringify({ hooks: { PreToolUse: [own] } }))
    await home.run(['attach', 'claude'])
    expect(Object(parseJsonc(read())).hooks.PreToolUse).toMatchObject([own, {}, {}])
    writeFileSync(file, `${read()}\n`)
    await home.run(['detach', 'claude'])
    expect(parseJsonc(read())).toEqual({ hooks: { PreToolUse: [own] } })
  })

  it('detach keeps what others have changed meanwhile', async () => {
    const { home, file, read } = homeWith('{\n  "env": { "A": "b" }\n}\n')
    await home.run(['attach', 'claude'])
    writeFileSync(file, read().replace('"A": "b"', '"A": "c"'))
    await home.run(['detach', 'claude'])
    expect(parseJsonc(read())).toEqual({ env: { A: 'c' } })
  })

  it('takes back the value that it replaced', async () => {
    const { home, file, read } = homeWith('{ "env": { "CLAUDE_CODE_SHELL": "/bin/zsh" } }')
    await home.run(['attach', 'claude'])
    writeFileSync(file, read().replace('{', '{ "new": 1,'))
    await home.run(['detach', 'claude'])
    expect(parseJsonc(read())).toEqual({ new: 1, env: { CLAUDE_CODE_SHELL: '/bin/zsh' } })
  })

  it.each([
    ['broken JSON', '{ "a": '],
    ['a comment, for which claude would ignore the file', '{ // mine\n "a": 1 }'],
    ['no object', '[1]'],
    ['a list in the place of env', '{ "env": [] }'],
    ['an object in the place of a list', '{ "hooks": { "PreToolUse": {} } }'],
    ['what is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('refuses a file with %s, untouched', async (_, text) => {
    const { home, file } = homeWith(text)
    const ran = await home.run(['attach', 'claude'])
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(file)
    expect(readFileSync(file)).toEqual(Buffer.from(text))
    expect(existsSync(join(home.directory, '.state/vitrine/attached/claude'))).toBe(false)
  })

  it('another mode replaces the first; the list and doctor tell it', async () => {
    const { home } = homeWith('{}')
    await home.run(['attach', 'claude'])
    await home.run(['attach', 'claude', '--mode', 'read'])
    expect((await home.run(['attach', '--list'])).stdout).toMatch(/^claude +read mode$/m)
    await home.run(['detach', 'claude'])
    expect((await home.run(['attach', '--list'])).stdout).toMatch(/^claude +not attached$/m)
  })

  it('doctor names a project that leads claude around it, and settings that were lost', async () => {
    const { home, file } = homeWith('{}')
    await home.run(['attach', 'claude'])
    const project = join(home.directory, 'p')
    mkdirSync(join(project, '.claude'), { recursive: true })
    const clients = async () =>
      JSON.parse((await home.run(['doctor', '--json'], { cwd: project })).stdout).clients
    expect(await clients()).toEqual([{ client: 'claude', mode: 'workspace', faults: [] }])
    writeFileSync(join(project, settings), '{ "disableAllHooks": true }')
    expect(await clients()).toMatchObject([{ faults: [expect.stringContaining('disableAllHooks')] }])
    writeFileSync(file, '{}')
    const [{ faults }] = await clients()
    expect(faults.join()).toContain(`${file} has no more: env.CLAUDE_CODE_SHELL`)
  }, 60_000)

  it('refuses an unknown client, write mode, and --managed without such settings', async () => {
    const { home } = homeWith('{}')
    for (const args of [['clod'], ['claude', '--mode', 'write'], [], ['pi', '--managed']])
      expect(await home.run(['attach', ...args])).toMatchObject({ code: 125 })
    const line = ['sh', '--client', 'clod', '-c', 'echo ran']
    expect(await home.run(line)).toMatchObject({ code: 125, stdout: '' })
    expect(await home.run(['detach', 'claude'])).toMatchObject({ code: 125 })
  })

  it('a record that cannot be written leaves the settings as they are', async () => {
    if (process.getuid?.() === 0) return
    const { home, read } = homeWith('{}')
    mkdirSync(join(home.directory, '.state'))
    chmodSync(join(home.directory, '.state'), 0o500)
    expect(await home.run(['attach', 'claude'])).toMatchObject({ code: 125 })
    expect(read()).toBe('{}')
  })

  it('is not attached where its settings cannot be written', async () => {
    if (process.getuid?.() === 0) return
    const { home, file } = homeWith('{}')
    chmodSync(dirname(file), 0o500)
    expect(await home.run(['attach', 'claude'])).toMatchObject({ code: 125 })
    chmodSync(dirname(file), 0o700)
    expect((await home.run(['attach', '--list'])).stdout).toMatch(/^claude +not attached$/m)
    expect(existsSync(join(home.directory, '.state/vitrine'))).toBe(false)
  })
})
