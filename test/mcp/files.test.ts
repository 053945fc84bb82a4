import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { answering, type ConnectOptions, caller, connect, eras, madeIn } from './connect.ts'

/** In a project: a home is no workspace. */
async function serve(args: readonly string[], options: ConnectOptions = {}) {
  const home = new Home()
  const cwd = join(home.directory, 'project')
  mkdirSync(cwd)
  const { client } = await connect(['--files', ...args], { ...options, home, cwd })
  const call = (name: string, input: Readonly<Record<string, unknown>>) => caller(client, name)(input)
  const make = (name: string, content: string) => writeFileSync(join(cwd, name), content)
  const content = (name: string) => readFileSync(join(cwd, name), 'utf8')
  return { client, cwd, call, make, content }
}

const hasWorkspace = process.platform === 'linux'
const posix = describe.runIf(process.platform !== 'win32')

posix('the tools of --files', () => {
  const reading = ['read_file']
  const changing = ['write_file', 'edit_file']

  it.each([
    [['--mode', 'read'], reading],
    [
      ['--mode', 'workspace'],
      [...reading, ...changing],
    ],
    [
      ['--mode', 'read,workspace'],
      [...reading, ...changing],
    ],
    [
      ['--mode', 'both'],
      [...reading, ...changing],
    ],
    [
      ['--mode', 'read,workspace,write'],
      [...reading, ...changing],
    ],
    [
      ['--mode', 'read,workspace,write', '--tool-per-mode'],
      [...reading, ...changing, 'write_file_write', 'edit_file_write'],
    ],
  ])('%j: %j', async (args, names) => {
    const { client } = await serve(args)
    const { tools } = await client.listTools()
    const listed = tools.filter(({ name }) => name.includes('file'))
    expect(listed.map(({ name }) => name)).toEqual(names)
    for (const { name, annotations } of listed) {
      expect(annotations?.readOnlyHint).toBe(name === 'read_file')
      expect(annotations?.openWorldHint).toBe(false)
    }
    const choices = listed.flatMap(({ inputSchema }) =>
      inputSchema.properties?.['mode'] ? [inputSchema.properties['mode']] : [],
    )
    expect(choices).toHaveLength(args.join().endsWith('read,workspace,write') ? 2 : 0)
  })

  it('a server without it lists none of them', async () => {
    const { client } = await connect(['--mode', 'both'])
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('read_file')
  })
})

posix.each(eras)('for a client of the %s era', (era) => {
  it('read_file numbers lines, and says what it left out', async () => {
    const { call, make } = await serve([], { era, toml: '[output]\ninline_max_chars = 100\n' })
    make('file', 'a\r\n\tb\r\n')
    make('long', Array.from({ length: 100 }, (_, at) => `line ${at + 1}\n`).join(''))
    make('wide', 'x'.repeat(500))
    make('empty', '')
    expect((await call('read_file', { path: 'file' })).text).toBe('     1\ta\n     2\t\tb')
    expect((await call('read_file', { path: 'long' })).text).toMatch(
      /^ {5}1\tline 1\n[\s\S]*\n {5}7\tline 7\n\[lines 1 to 7 of 100; next: offset 7\]$/,
    )
    expect((await call('read_file', { path: 'long', offset: 6, limit: 1 })).text).toBe(
      '     7\tline 7\n[lines 7 to 7 of 100; next: offset 7]',
    )
    expect((await call('read_file', { path: 'long', offset: -1 })).text).toBe(
      '   100\tline 100\n[lines 100 to 100 of 100]',
    )
    expect((await call('read_file', { path: 'long', offset: 200 })).text).toBe(
      '[no lines in this range; 100 lines in total]',
    )
    expect((await call('read_file', { path: 'wide' })).text).toMatch(
      /^ {5}1\tx{93}\n\[lines 1 to 1 of 1; line 1 is cut off\]$/,
    )
    expect((await call('read_file', { path: 'empty' })).text).toBe('(empty file)')
    expect(await call('read_file', { path: 'none' })).toMatchObject({
      isError: true,
      text: 'FILE_FAILED: none could not be read: no such file or directory (ENOENT).',
    })
  })

  it.runIf(hasWorkspace)('workspace mode changes files, and refuses as a command is refused', async () => {
    const { call, content, cwd, make } = await serve(['--mode', 'workspace'], { era })
    mkdirSync(join(cwd, '.vscode'))
    make('.vscode/settings.json', '{}')
    expect((await call('write_file', { path: 'src/a', content: 'one\ntwo\n' })).text).toBe(
      'Created src/a (8 bytes).',
    )
    expect((await call('edit_file', { path: 'src/a', old_string: 'two', new_string: '2' })).text).toBe(
      'Edited src/a at line 2.',
    )
    expect(
      (await call('write_file', { path: 'package.json', content: '{"scripts":{"postinstall":"x"}}' })).text,
    ).toMatch(/^Created .*\n\[.*package\.json/)
    expect(content('src/a')).toBe('one\n2\n')
    const edit = { path: 'src/a', old_string: 'three', new_string: '3' }
    expect(await call('edit_file', edit)).toMatchObject({
      isError: true,
      text: expect.stringContaining('not in it'),
    })
    const refused = await call('edit_file', {
      path: '.vscode/settings.json',
      old_string: '{}',
      new_string: '',
    })
    expect(refused).toMatchObject({
      isError: true,
      text: expect.stringContaining(`[blocked in workspace mode: write ${cwd}/.vscode/settings.json]`),
    })
    expect(content('.vscode/settings.json')).toBe('{}')
  })

  it('a question shows the change, and a yes allows this one only', async () => {
    const { questions, elicit } = answering('y', 'n')
    const { call, cwd, make, content } = await serve(['--mode', 'write', '--approve', 'elicit'], {
      era,
      elicit,
    })
    make('a', 'one\n')
    expect((await call('read_file', { path: 'a' })).text).toBe('     1\tone')
    expect((await call('edit_file', { path: 'a', old_string: 'one', new_string: 'two' })).text).toBe(
      'Edited a at line 1.',
    )
    expect(await call('write_file', { path: 'b', content: 'x' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('said no'),
    })
    expect(questions.map((question) => question.split('\n').slice(1, 4))).toEqual([
      ['  edit_file a', '  - one', '  + two'],
      ['  write_file b', '  + x', `in ${cwd}`],
    ])
    expect([content('a'), madeIn(cwd)]).toEqual(['two\n', ['a']])
  })

  it.runIf(hasWorkspace)(
    'of several modes a call names one, else it gets the strictest that changes anything',
    async () => {
      const { call, cwd } = await serve(['--mode', 'read,workspace,write'], { era })
      expect(await call('write_file', { path: '../outside', content: 'x' })).toMatchObject({ isError: true })
      expect((await call('write_file', { path: '../outside', content: 'x', mode: 'write' })).text).toMatch(
        /^Created /,
      )
      expect(await call('write_file', { path: 'x', content: 'x', mode: 'read' })).toMatchObject({
        isError: true,
      })
      expect(madeIn(join(cwd, '..'))).toEqual(['outside', 'project'])
    },
  )
})
