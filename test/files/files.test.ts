import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, Approver } from '../../src/admit/approver.ts'
import type { Mode } from '../../src/base/types.ts'
import { linesOf, openAudited } from '../audit/place.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'

const modes = (
  process.platform === 'linux' ? ['read', 'workspace', 'write'] : ['read', 'write']
) as readonly Mode[]
const changing = modes.filter((mode) => mode !== 'read')

async function open(mode: Mode, options: TestShellOptions = {}) {
  const cwd = options.cwd ?? join(makeDirectory(), 'place')
  mkdirSync(cwd, { recursive: true })
  const { files } = await openTestShell({ ...options, cwd, mode })
  const make = (name: string, content: string | Buffer) => writeFileSync(join(cwd, name), content)
  const bytes = (name: string) => readFileSync(join(cwd, name), 'latin1')
  return { cwd, files, make, bytes }
}

/** What an operation that failed says. */
async function problemOf(work: Promise<unknown>) {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  return error?.refusal?.problem
}

const posix = describe.runIf(process.platform !== 'win32')

posix.each(modes)('read, in %s mode', (mode) => {
  const utf16 = Buffer.from('\ufeffä\r\nb\r\n', 'utf16le')

  it.each([
    ['UTF-8', Buffer.from('ä\nb'), { text: 'ä\nb', encoding: 'utf8', lines: 2 }],
    ['a byte order mark', Buffer.from('\ufeffa\n'), { text: 'a\n', encoding: 'utf8-bom', lines: 1 }],
    ['UTF-16, little end first', utf16, { text: 'ä\r\nb\r\n', encoding: 'utf16le', lines: 2 }],
    ['UTF-16, big end first', Buffer.from(utf16).swap16(), { text: 'ä\r\nb\r\n', encoding: 'utf16be' }],
    ['what is none of them', Buffer.from('\xe4\n', 'latin1'), { text: 'ä\n', encoding: 'latin1', lines: 1 }],
    ['nothing', Buffer.alloc(0), { text: '', lines: 0, from: 1, to: 0, size: 0, truncated: false }],
  ])('%s', async (_, content, wanted) => {
    const { files, make } = await open(mode)
    make('file', content)
    expect(await files.read('file')).toMatchObject(wanted)
  })

  it.each([
    [{ offset: 1, limit: 2 }, '2\n3\n', 2, 3],
    [{ offset: -2 }, '9\n10\n', 9, 10],
    [{ offset: 20 }, '', 11, 10],
    [{ limit: 1 }, '1\n', 1, 1],
  ])('%j gives a part of the lines', async (options, text, from, to) => {
    const { files, make } = await open(mode)
    make('file', `${Array.from({ length: 10 }, (_, at) => at + 1).join('\n')}\n`)
    expect(await files.read('file', options)).toMatchObject({ text, from, to, lines: 10, truncated: true })
  })

  it('refuses a file over 32 MiB, and so does an edit', async () => {
    const { cwd, files } = await open(mode)
    execFileSync('truncate', ['-s', '100M', 'big'], { cwd })
    expect(await problemOf(files.read('big'))).toMatchObject({ kind: 'too-large' })
    expect(await problemOf(files.edit({ path: 'big', old: 'first', new: 'x' }))).toMatchObject({
      kind: mode === 'read' ? 'failed' : 'too-large',
    })
  })

  it.each([
    ['nothing there', 'none', { kind: 'failed', errno: 'ENOENT' }],
    ['a directory', '.', { kind: 'failed', errno: 'EISDIR' }],
    ['a file on the way', 'file/x', { kind: 'failed', errno: 'ENOTDIR' }],
    ['a link to itself', 'loop', { kind: 'failed', errno: 'ELOOP' }],
    ['a long name', 'x'.repeat(300), { kind: 'failed', errno: 'ENAMETOOLONG' }],
    ['a FIFO, without waiting', 'fifo', { kind: 'special' }],
    ['a device', '/dev/zero', { kind: 'special' }],
    ['binary content', 'binary', { kind: 'binary' }],
    ['no home', '~/file', { kind: 'failed', errno: 'ENOENT' }],
    ['a NUL byte', 'a\0b', { kind: 'nul-byte', field: 'path' }],
  ])('refuses %s', async (_, path, wanted) => {
    const { cwd, files, make } = await open(mode)
    make('file', 'x')
    make('binary', 'a\0b')
    symlinkSync('loop', join(cwd, 'loop'))
    execFileSync('mkfifo', [join(cwd, 'fifo')])
    expect(await problemOf(files.read(path))).toEqual(wanted)
  })

  it.each(['-n', 'a b', "it's", 'a\nb\n', '$(touch x)', '*', '-', ' ', '\\', 'é\u202e'])(
    'reads a file named %j',
    async (name) => {
      const { cwd, files, make } = await open(mode)
      make(name, 'content')
      expect((await files.read(name)).text).toBe('content')
      expect((await files.list()).entries).toEqual([{ path: name, type: 'file' }])
      expect((await files.glob('**')).paths).toEqual([name])
      expect((await files.grep('content')).matches).toEqual([{ path: name, line: 1, text: 'content' }])
      expect((await files.grep('content', { path: name })).matches).toEqual([
        { path: name, line: 1, text: 'content' },
      ])
      if (mode !== 'read') await files.edit({ path: name, old: 'content', new: 'other' })
      expect(readdirSync(cwd)).toEqual([name])
    },
  )
})

posix.each(changing)('write and edit, in %s mode', (mode) => {
  const bom = '\xef\xbb\xbf'

  it.each([
    ['CRLF', 'a\r\nb\r\nc\r\n', 'a\r\nB\r\nnew\r\nc\r\n'],
    ['no last line end', 'a\nb', 'a\nB\nnew'],
    ['a byte order mark', `${bom}b\n`, `${bom}B\nnew\n`],
    ['latin1', '\xe4\nb\n\xff', '\xe4\nB\nnew\n\xff'],
    ['UTF-16', '\xff\xfeb\0\r\0\n\0\xe4\0', '\xff\xfeB\0\r\0\n\0n\0e\0w\0\r\0\n\0\xe4\0'],
  ])('an edit keeps every other byte: %s', async (_, before, after) => {
    const { files, make, bytes, cwd } = await open(mode)
    make('file', Buffer.from(before, 'latin1'))
    await files.edit({ path: 'file', old: 'b', new: 'B\nnew' })
    expect(bytes('file')).toBe(after)
    expect(readdirSync(cwd)).toEqual(['file'])
  })

  it('git diff shows the one line of a CRLF file that was edited', async () => {
    const { cwd, files, make } = await open(mode)
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'core.autocrlf=false', ...args], { cwd, encoding: 'utf8' })
    make('file', Array.from({ length: 50 }, (_, at) => `line ${at}\r\n`).join(''))
    git('init', '-q')
    git('add', 'file')
    await files.edit({ path: 'file', old: 'line 7\nline 8', new: 'line 7\nline VIII' })
    expect(git('diff', '--numstat')).toBe('1\t1\tfile\n')
  })

  it.each([
    [
      'text in the encoding and with the line ends of the file',
      '\xff\xfea\0\r\0\n\0',
      'b\n',
      '\xff\xfeb\0\r\0\n\0',
    ],
    ['text in UTF-8 where there was none', undefined, 'ä\n', '\xc3\xa4\n'],
    ['text in UTF-8 where the encoding of the file lacks a character', '\xe4', '€', '\xe2\x82\xac'],
    ['bytes as they are', 'a\r\n', Buffer.from('b\n\0'), 'b\n\0'],
    ['nothing', 'a', '', ''],
  ])('writes %s', async (_, before, content, after) => {
    const { files, make, bytes } = await open(mode)
    if (before !== undefined) make('file', Buffer.from(before, 'latin1'))
    expect(await files.write('file', content)).toEqual({
      bytes: after.length,
      created: before === undefined,
      handoffs: [],
    })
    expect(bytes('file')).toBe(after)
  })

  it('replaces the file: who has it open sees the old one, mode and owner stay', async () => {
    const { cwd, files, make, bytes } = await open(mode)
    make('file', 'before')
    chmodSync(join(cwd, 'file'), 0o640)
    linkSync(join(cwd, 'file'), join(makeDirectory(), 'kept'))
    const inode = () => statSync(join(cwd, 'file')).ino
    const [shared, { uid, gid }] = [inode(), statSync(join(cwd, 'file'))]
    for (const content of ['in place: it has another name', 'shorter', '']) {
      await files.write('file', content)
      expect([inode(), bytes('file')]).toEqual([shared, content])
    }
    make('other', 'before')
    chmodSync(join(cwd, 'other'), 0o640)
    const before = statSync(join(cwd, 'other')).ino
    await files.edit({ path: 'other', old: 'before', new: 'after' })
    expect(statSync(join(cwd, 'other'))).toMatchObject({ mode: 0o100640, uid, gid })
    expect(statSync(join(cwd, 'other')).ino).not.toBe(before)
  })

  it('follows a link, which stays, also to what is not there yet', async () => {
    const { cwd, files, make, bytes } = await open(mode)
    mkdirSync(join(cwd, 'sub'))
    make('sub/file', 'a')
    for (const name of ['file', 'new']) symlinkSync(`sub/${name}`, join(cwd, name))
    await files.edit({ path: 'file', old: 'a', new: 'b' })
    await files.write('new', 'c')
    expect([bytes('sub/file'), bytes('sub/new')]).toEqual(['b', 'c'])
    expect(
      lstatSync(join(cwd, 'file')).isSymbolicLink() && lstatSync(join(cwd, 'new')).isSymbolicLink(),
    ).toBe(true)
  })

  it('leaves no copy behind where the file has bits that none can be given', async () => {
    const { cwd, files, make, bytes } = await open(mode)
    make('file', 'before')
    chmodSync(join(cwd, 'file'), 0o4755)
    await files.write('file', 'after')
    expect([readdirSync(cwd), bytes('file')]).toEqual([['file'], 'after'])
    expect(await problemOf(files.write('none/', 'x'))).toMatchObject({ errno: 'EISDIR' })
    expect(readdirSync(cwd)).toEqual(['file'])
  })

  it('makes directories on the way, and files with the mode that others get', async () => {
    const { cwd, files } = await open(mode)
    expect(await files.write('a/b/c', 'x')).toMatchObject({ created: true })
    writeFileSync(join(cwd, 'usual'), 'x')
    expect(statSync(join(cwd, 'a/b/c')).mode).toBe(statSync(join(cwd, 'usual')).mode)
  })

  it.each([
    [
      'text that is not there',
      { old: 'two words', new: 'x' },
      { kind: 'no-match', nearest: { from: 2, lines: ['two wordz'] } },
    ],
    ['text that is there twice', { old: 'one', new: 'x' }, { kind: 'matches', count: 2, lines: [1, 3] }],
    [
      'a character that latin1 lacks',
      { path: 'latin1', old: 'a', new: '€' },
      { kind: 'encoding', encoding: 'latin1' },
    ],
    ['binary content', { path: 'binary', old: 'a', new: 'b' }, { kind: 'binary' }],
    ['a file that is not there', { path: 'none', old: 'a', new: 'b' }, { kind: 'failed', errno: 'ENOENT' }],
    ['a directory', { path: '.', old: 'a', new: 'b' }, { kind: 'failed', errno: 'EISDIR' }],
    ['a FIFO', { path: 'fifo', old: 'a', new: 'b' }, { kind: 'special' }],
    ['no old text', { old: '', new: 'b' }, { kind: 'out-of-range', field: 'old' }],
    ['no change', { old: 'one', new: 'one' }, { kind: 'out-of-range', field: 'old' }],
  ])('an edit of %s changes nothing', async (_, request, wanted) => {
    const { cwd, files, make } = await open(mode)
    make('file', 'one\ntwo wordz\none\n')
    make('latin1', Buffer.from('a\xe4', 'latin1'))
    make('binary', 'a\0')
    execFileSync('mkfifo', [join(cwd, 'fifo')])
    const state = () =>
      execFileSync('sh', ['-c', 'ls -li; cat file latin1 binary'], { cwd, encoding: 'latin1' })
    const before = state()
    expect(await problemOf(files.edit({ path: 'file', ...request }))).toMatchObject(wanted)
    expect(state()).toBe(before)
  })

  it('an edit whose signal aborts, or whose time is over, leaves nothing behind', async () => {
    const { cwd, files } = await open(mode)
    expect(await problemOf(files.write('file', 'x', { timeoutMs: 1 }))).toMatchObject({ kind: 'ended' })
    await expect(files.write('file', 'x', { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    )
    expect(readdirSync(cwd)).toEqual([])
  })

  it('edits of one shell at once all hold', async () => {
    const { files, make, bytes } = await open(mode)
    make('file', 'a\nb\n')
    await Promise.all(['a', 'b'].map((old) => files.edit({ path: 'file', old, new: old.toUpperCase() })))
    expect(bytes('file')).toBe('A\nB\n')
  })

  it('an edit is told of a change by another program between its reading and its writing', async () => {
    const { cwd, files, make, bytes } = await open(mode)
    const content = `old\n${'x'.repeat(30_000_000)}`
    make('file', content)
    const editing = problemOf(files.edit({ path: 'file', old: 'old', new: 'new' }))
    const isCopied = () =>
      readdirSync(cwd).some((name) => name !== 'file' && statSync(join(cwd, name)).size === content.length)
    while (!isCopied()) await setTimeout(1)
    make('file', 'other')
    expect(await editing).toEqual({ kind: 'changed' })
    expect([bytes('file'), readdirSync(cwd)]).toEqual(['other', ['file']])
  })
})

posix('read mode', () => {
  it('refuses every change with the denials, the hint and the errno of a command', async () => {
    const { cwd, files, make } = await open('read')
    make('file', 'a')
    const path = join(cwd, 'file')
    const work = files.edit({ path: 'file', old: 'a', new: 'b' })
    await expect(work).rejects.toMatchObject({
      code: 'FILE_FAILED',
      refusal: {
        operation: 'edit_file',
        mode: 'read',
        problem: { errno: 'EACCES' },
        hint: expect.stringContaining(path),
      },
    })
    if (process.platform === 'linux')
      await expect(files.write('new', 'b')).rejects.toMatchObject({
        refusal: { denials: [{ operation: 'create', path: join(cwd, 'new') }] },
      })
    expect([readdirSync(cwd), readFileSync(path, 'utf8')]).toEqual([['file'], 'a'])
  })

  it('reads nothing that is unreadable, and a stricter mode of a call holds', async () => {
    const cwd = makeDirectory()
    const toml = `[shell]\nunreadable = ["${join(cwd, 'secret')}"]`
    const { files, make } = await open('read', { cwd, toml })
    make('secret', 'x')
    expect(await problemOf(files.read('secret'))).toMatchObject({
      errno: process.platform === 'linux' ? 'EACCES' : 'EPERM',
    })
    const loose = await open('write')
    expect(await problemOf(loose.files.write('file', 'x', { mode: 'read' }))).toMatchObject({
      kind: 'failed',
    })
    expect(readdirSync(loose.cwd)).toEqual([])
  })
})

describe.runIf(process.platform === 'linux')('workspace mode', () => {
  it.each([
    ['.vscode/settings.json', 'edit'],
    ['.git/config', 'edit'],
    ['.mcp.json', 'write'],
    ['.claude/settings.json', 'write'],
    ['link', 'edit'],
    ['../outside', 'edit'],
    ['../new', 'write'],
  ] as const)('refuses %s (%s)', async (path, operation) => {
    const { cwd, files, make } = await open('workspace')
    mkdirSync(join(cwd, '.vscode'))
    make('.vscode/settings.json', 'old')
    make('../outside', 'old')
    symlinkSync('.git/config', join(cwd, 'link'))
    execFileSync('git', ['init', '-q'], { cwd })
    execFileSync('git', ['config', 'user.name', 'old'], { cwd })
    const before = execFileSync('sh', ['-c', 'ls -lAR ..; cat .git/config .vscode/* ../outside'], {
      cwd,
      encoding: 'utf8',
    })
    const work =
      operation === 'edit' ? files.edit({ path, old: 'old', new: 'new' }) : files.write(path, 'new')
    expect(await problemOf(work)).toMatchObject({ kind: 'failed', errno: 'EACCES' })
    expect(
      execFileSync('sh', ['-c', 'ls -lAR ..; cat .git/config .vscode/* ../outside'], {
        cwd,
        encoding: 'utf8',
      }),
    ).toBe(before)
  })

  it('asks once about a protected path where on_protected says so', async () => {
    for (const [answer, path] of [
      ['yes', '.vscode/settings.json'],
      ['yes', '.mcp.json'],
      ['no', '.mcp.json'],
    ] as const) {
      const asked: ApprovalRequest[] = []
      const approver: Approver = async (request) => {
        asked.push(request)
        return answer
      }
      const { cwd, files, make, bytes } = await open('workspace', {
        approver,
        toml: '[workspace]\non_protected = "ask"',
      })
      mkdirSync(join(cwd, '.vscode'))
      make(path, 'old')
      const work = files.edit({ path, old: 'old', new: 'new' })
      await (answer === 'yes' ? work : problemOf(work))
      expect(asked.map(({ command }) => command)).toEqual([`edit_file ${path}\n- old\n+ new`])
      expect(bytes(path)).toBe(answer === 'yes' ? 'new' : 'old')
    }
  })

  it('tells of handoffs', async () => {
    const { files, make } = await open('workspace')
    make('package.json', '{"scripts":{}}')
    const { handoffs } = await files.edit({ path: 'package.json', old: '{}', new: '{"postinstall":"x"}' })
    expect(handoffs).toMatchObject([{ kind: 'script' }])
  })

  it('changes nothing protected while the file is swapped for a link to it', async () => {
    const { cwd, files, make, bytes } = await open('workspace')
    mkdirSync(join(cwd, '.vscode'))
    make('.vscode/settings.json', 'old')
    make('plain', 'old')
    symlinkSync('.vscode/settings.json', join(cwd, 'link'))
    const over = new AbortController()
    const swapping = (async () => {
      const script = 'while :; do cp plain swap; mv -f swap file; cp -d link swap; mv -f swap file; done'
      const shell = await openTestShell({ cwd, mode: 'workspace' })
      await shell.execute({ command: script, timeoutMs: 60_000 }, { signal: over.signal })
    })()
    while (!existsSync(join(cwd, 'file'))) await setTimeout(5)
    for (let time = 0; time < 40; time++)
      await Promise.allSettled([
        files.edit({ path: 'file', old: 'old', new: 'new' }),
        files.write('file', 'new'),
      ])
    over.abort()
    await swapping
    expect(bytes('.vscode/settings.json')).toBe('old')
    expect(readdirSync(cwd).filter((name) => name.startsWith('.vitrine'))).toEqual([])
  })
})

posix('write mode with an approver', () => {
  it('asks about changes with all that they are, and about no reading', async () => {
    const asked: string[] = []
    const approver: Approver = async ({ command, stdin }) => {
      asked.push(`${command} (${stdin.kind})`)
      return asked.length === 1 ? 'same' : 'no'
    }
    const { cwd, files, make } = await open('write', { approver })
    make('a b', 'one\n')
    await files.read('a b')
    await files.list()
    await files.glob('*')
    await files.grep('one')
    await files.edit({ path: 'a b', old: 'one', new: 'two' })
    await files.edit({ path: 'a b', old: 'two', new: 'three' }).catch(() => {})
    await expect(files.write('c', 'x\n'.repeat(100))).rejects.toMatchObject({ code: 'NOT_APPROVED' })
    expect(asked[0]).toBe("edit_file 'a b'\n- one\n+ two (none)")
    expect(asked[2]).toMatch(
      /^write_file c\n(\+ x\n){40}\+ \.\.\. 200 bytes in all, SHA-256 [0-9a-f]{64} \(none\)$/,
    )
    expect([asked.length, readdirSync(cwd), readFileSync(join(cwd, 'a b'), 'utf8')]).toEqual([
      3,
      ['a b'],
      'two\n',
    ])
  })

  it('a question names where a link leads', async () => {
    const asked: string[] = []
    const { cwd, files, make } = await open('write', {
      approver: async ({ command }) => {
        asked.push(command.split('\n').at(-1) ?? '')
        return 'no'
      },
    })
    const elsewhere = makeDirectory()
    make('plain', 'x')
    symlinkSync(elsewhere, join(cwd, 'dir'))
    for (const name of ['there', 'none']) symlinkSync(join(elsewhere, name), join(cwd, name))
    writeFileSync(join(elsewhere, 'there'), 'x')
    for (const path of ['plain', 'new', 'there', 'none', 'dir/new', 'dir/../outside'])
      await files.write(path, 'y').catch(() => {})
    expect(asked.slice(0, 2)).toEqual(['+ y', '+ y'])
    expect(asked.slice(2)).toEqual(
      ['there', 'none', 'new', '../outside'].map((name) => `leads to ${join(elsewhere, name)}`),
    )
  })

  it.each([
    ['[policy]\nunattended = "deny"', 'NOT_APPROVED'],
    ['[policy]\nunattended = "deny"\nallow = ["write_file"]', undefined],
    ['[policy]\ndeny = ["write_file"]', 'DENIED'],
    ['[policy]\npreset = "analysis"', 'DENIED'],
  ])('%j decides without one', async (toml, code) => {
    const { files, make, cwd } = await open('write', { toml })
    make('a', 'x')
    const error = await files.write('b', 'x').catch((reason) => reason)
    expect([error.code, existsSync(join(cwd, 'b'))]).toEqual([code, code === undefined])
    expect((await files.read('a')).text).toBe('x')
  })

  it('sandbox = false refuses operations of the sandboxed modes as it refuses commands', async () => {
    const { files } = await open('read', { toml: '[shell]\nsandbox = false' })
    await expect(files.read('x')).rejects.toMatchObject({ code: 'WRITE_MODE_REQUIRED' })
  })
})

posix('searches', () => {
  it('leave out what git ignores, and find what it does not know yet', async () => {
    const { cwd, files } = await open('read')
    const script = `git init -q; mkdir -p src/deep ignored; printf 'ignored\\n*.log\\n' > .gitignore
echo 'find Me' | tee src/a.ts src/deep/b.ts ignored/c.ts x.log src/new.js gone.ts > src/.hidden.ts; git add gone.ts src/a.ts; rm gone.ts`
    execFileSync('sh', ['-ec', script], { cwd })
    expect((await files.glob('**/*.ts')).paths).toEqual(['src/.hidden.ts', 'src/a.ts', 'src/deep/b.ts'])
    expect((await files.glob('*', { cwd: 'src' })).paths).toEqual(['.hidden.ts', 'a.ts', 'new.js'])
    expect((await files.glob('*', { cwd: 'ignored' })).paths).toEqual(['c.ts'])
    const found = async (pattern: string, options = {}) =>
      (await files.grep(pattern, options)).matches.map(({ path, line }) => `${path}:${line}`)
    expect(await found('find Me')).toEqual([
      'src/.hidden.ts:1',
      'src/a.ts:1',
      'src/deep/b.ts:1',
      'src/new.js:1',
    ])
    expect(await found('^FIND', { ignoreCase: true, glob: '*.js' })).toEqual(['src/new.js:1'])
    expect(await found('^FIND', { path: 'src' })).toEqual([])
    expect(await found('Me$', { path: 'src/deep' })).toEqual(['src/deep/b.ts:1'])
    expect(await found('Me', { path: join(cwd, 'src/a.ts') })).toEqual([`${join(cwd, 'src/a.ts')}:1`])
    expect(await files.grep('Me', { limit: 2 })).toMatchObject({ matches: [{}, {}], truncated: true })
    expect(await problemOf(files.grep('('))).toMatchObject({ kind: 'pattern' })
  })

  it('start no program that a repository names', async () => {
    const { cwd, files } = await open('write')
    execFileSync('sh', ['-ec', 'git init -q; echo x > a; git config core.fsmonitor "touch made; false"'], {
      cwd,
    })
    expect((await files.grep('x')).matches).toHaveLength(1)
    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })

  it('a list has types and levels, a limit, and a note of what it could not enter', async () => {
    const { cwd, files, make } = await open('read')
    mkdirSync(join(cwd, 'dir/shut'), { recursive: true })
    make('dir/file', 'x')
    symlinkSync('dir', join(cwd, 'link'))
    execFileSync('mkfifo', [join(cwd, 'fifo')])
    const first = [
      { path: 'dir', type: 'directory' },
      { path: 'fifo', type: 'other' },
      { path: 'link', type: 'link' },
    ]
    expect((await files.list()).entries).toEqual(first)
    expect((await files.list('./', { depth: 2 })).entries).toHaveLength(5)
    expect(await files.list(join(cwd, 'dir'), { limit: 1 })).toMatchObject({
      entries: [{ path: 'file' }],
      truncated: true,
    })
    expect(await problemOf(files.list('dir/file'))).toMatchObject({ errno: 'ENOTDIR' })
    if (process.getuid?.() === 0) return // permissions do not bind root
    chmodSync(join(cwd, 'dir/shut'), 0)
    expect((await files.list('.', { depth: 3 })).notes).toEqual([expect.stringContaining('dir/shut')])
  })
})

posix('the audit log', () => {
  it('has a line for each operation, with its name and path, and without content', async () => {
    const { shell, log } = await openAudited({ mode: 'write' })
    await shell.files.write('file', 'a secret')
    await shell.files.edit({ path: 'file', old: 'secret', new: 'hidden' })
    await problemOf(shell.files.edit({ path: 'file', old: 'secret', new: 'hidden' }))
    await problemOf(shell.files.read('none'))
    const lines = linesOf(log)
    expect(lines.map(({ event, argv, exitCode }) => [event, ...(argv ?? []), exitCode])).toEqual([
      ['file', 'write_file', 'file', 0],
      ['file', 'edit_file', 'file', 0],
      ['file', 'edit_file', 'file', 3],
      ['file', 'read_file', 'none', 1],
    ])
    expect(readFileSync(log, 'utf8')).not.toMatch(/secret|hidden/)
  })
})
