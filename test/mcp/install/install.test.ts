import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { clientOf } from '../../../src/mcp/install/clients.ts'
import { installEntry } from '../../../src/mcp/install/install.ts'
import { parseJsonc, withEntry } from '../../../src/mcp/install/json-edit.ts'
import { withTable } from '../../../src/mcp/install/toml-edit.ts'
import {
  changedMeanwhile,
  noFile,
  noObjectAt,
  noObjectInFile,
  notEditable,
  notInstalled,
  noUtf8,
  printAndWrite,
  unchangedText,
} from '../../../src/messages/mcp/install.ts'
import { badMode } from '../../../src/messages/mcp/serve.ts'
import { Home, program } from '../../cli/vitrine.ts'
import { repository } from '../../helpers/programs.ts'

/** Where each client keeps its servers, below the home directory, and the path to ours. */
const places = {
  claude: ['.claude.json', ['mcpServers', 'vitrine']],
  codex: ['.codex/config.toml', ['mcp_servers', 'vitrine']],
  gemini: ['.gemini/settings.json', ['mcpServers', 'vitrine']],
  cursor: ['.cursor/mcp.json', ['mcpServers', 'vitrine']],
  vscode: ['.config/Code/User/mcp.json', ['servers', 'vitrine']],
  opencode: ['.config/opencode/opencode.json', ['mcp', 'vitrine']],
} as const
type Name = keyof typeof places
const names = Object.keys(places) as Name[]

const read = (file: string): unknown => {
  const text = readFileSync(file, 'utf8')
  return file.endsWith('.toml') ? parse(text) : parseJsonc(text)
}
const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, key) => Object(inner)[key], value)

/** A home whose environment names no other place for a client's files. */
function makeHome() {
  const home = new Home()
  for (const name of ['CODEX_HOME', 'CLAUDE_CONFIG_DIR', 'GEMINI_CLI_HOME']) delete home.env[name]
  return home
}

it('mcp install passes on what the server is to give commands', async () => {
  const given = ['--approve', 'none', '--backend', 'docker', '--network', '--private-tmp']
  const { stdout } = await makeHome().run(['mcp', 'install', 'claude', ...given])
  expect(JSON.parse(stdout).mcpServers.vitrine.args.slice(1)).toEqual(['mcp', ...given])
})

it('mcp install takes a network in write mode of a container, which has one', async () => {
  const given = ['--mode', 'write', '--network']
  const run = (options: readonly string[], env = {}) =>
    makeHome().run(['mcp', 'install', 'claude', ...given, ...options], { env })
  expect((await run(['--backend', 'docker'])).code).toBe(0)
  expect((await run([], { VITRINE_SHELL_BACKEND: 'docker' })).code).toBe(0)
  expect((await run([])).code).toBe(125)
})

describe.each(names)('mcp install %s', (name) => {
  const [below, path] = places[name]
  const command = [process.execPath, program, 'mcp', '--mode', 'both']

  it('prints what --write puts into the file, and changes nothing', async () => {
    const home = makeHome()
    const printed = await home.run(['mcp', 'install', name, '--mode', 'both'])
    expect(printed.code).toBe(0)
    expect(printed.stderr).toContain(below)
    expect(readdirSync(home.directory).filter((file) => file !== '.state')).toEqual([])
    const text = below.endsWith('.toml') ? parse(printed.stdout) : JSON.parse(printed.stdout)
    const entry = at(text, path)
    expect(JSON.stringify(entry)).toContain(program)
    const wrote = await home.run(['mcp', 'install', name, '--mode', 'both', '--write'])
    expect(wrote).toMatchObject({ code: 0, stdout: '' })
    expect(at(read(join(home.directory, below)), path)).toEqual(entry)
    const started = Object(entry)
    const words = Array.isArray(started.command) ? started.command : [started.command, ...started.args]
    expect(words).toEqual(command)
  })

  it('keeps what is there, with a backup, and a second time changes nothing', async () => {
    const home = makeHome()
    const file = join(home.directory, below)
    mkdirSync(dirname(file), { recursive: true })
    const before = below.endsWith('.toml')
      ? `# mine\nmodel = "x"\n\n[${path[0]}.other] # theirs\ncommand = "a"\n\n[tui]\nx = 1\n`
      : `{\n    // mine\n    "theme": "dark",\n    "${path[0]}": {\n        "other": { "command": "a", }, /* theirs */\n    },\n}\n`
    writeFileSync(file, before, { mode: 0o640 })
    const known = read(file)
    await home.run(['mcp', 'install', name, '--write'])
    const after = readFileSync(file, 'utf8')
    const { [path[1]]: ours, ...others } = Object(at(read(file), [path[0]]))
    expect(ours).toBeDefined()
    expect({ ...Object(read(file)), [path[0]]: others }).toEqual(known)
    for (const comment of ['mine', 'theirs']) expect(after).toContain(comment)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    const [backup] = readdirSync(dirname(file)).filter((other) => other.endsWith('.backup'))
    expect(readFileSync(join(dirname(file), backup ?? ''), 'utf8')).toBe(before)
    expect((await home.run(['mcp', 'install', name, '--write'])).stderr).toContain(unchangedText(file))
    expect(readFileSync(file, 'utf8')).toBe(after)
  })

  it('replaces our own entry, and keeps what the user added to it', async () => {
    const home = makeHome()
    const file = join(home.directory, below)
    await home.run(['mcp', 'install', name, '--write'])
    const text = readFileSync(file, 'utf8')
    const changed = below.endsWith('.toml')
      ? `${text}\n[${path[0]}.vitrine.env]\nA = "b"\n\n[other]\nx = 1\n`
      : withEntry(text, path[0], 'vitrine', { ...Object(at(read(file), path)), env: { A: 'b' } })
    writeFileSync(file, changed)
    expect((await home.run(['mcp', 'install', name, '--write', '--mode', 'write'])).code).toBe(0)
    const entry = Object(at(read(file), path))
    expect(entry.env).toEqual({ A: 'b' })
    expect(JSON.stringify(entry)).toContain('"--mode","write"')
  })

  it('a file that cannot be read as what it should be is left as it is', async () => {
    const home = makeHome()
    const file = join(home.directory, below)
    mkdirSync(dirname(file), { recursive: true })
    for (const broken of [
      '{"a": ',
      `${path[0]} = 5\n{`,
      below.endsWith('.toml') ? `${path[0]} = 5\n` : '[]',
    ]) {
      writeFileSync(file, broken)
      const ran = await home.run(['mcp', 'install', name, '--write'])
      expect(ran.code).toBe(125)
      expect(readFileSync(file, 'utf8')).toBe(broken)
      expect(readdirSync(dirname(file)).filter((other) => other.endsWith('.backup'))).toEqual([])
    }
  })
})

describe('mcp install', () => {
  it.each([
    [[], 'codex|gemini'],
    [['emacs'], 'codex|gemini'],
    [['codex', 'gemini'], 'codex|gemini'],
    [['codex', '--mode', 'all'], badMode('all')],
    [['codex', '--print', '--write'], printAndWrite],
    [['codex', '--force'], '--force'],
  ])('%j is refused with what to do', async (args, told) => {
    const ran = await makeHome().run(['mcp', 'install', ...args])
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain(told)
  })

  it('a copy in the cache of npx is not entered: npm may remove it', () => {
    const home = makeHome()
    const copy = join(home.directory, '_npx/1/node_modules/vitrine')
    for (const part of ['package.json', 'dist'])
      cpSync(join(repository, part), join(copy, part), { recursive: true })
    symlinkSync(join(repository, 'node_modules'), join(copy, 'node_modules'))
    const argv = [join(copy, 'dist/cli.cjs'), 'mcp', 'install', 'cursor', '--write']
    const ran = spawnSync(process.execPath, argv, { env: home.env, encoding: 'utf8' })
    expect(ran).toMatchObject({ status: 125, stdout: '' })
    expect(ran.stderr).toContain(notInstalled)
    expect(readdirSync(home.directory)).not.toContain('.cursor')
  })

  it('a symlink stays one, and what it leads to is changed', async () => {
    const home = makeHome()
    const real = join(home.directory, 'dotfiles.json')
    writeFileSync(real, '{}')
    mkdirSync(join(home.directory, '.cursor'))
    symlinkSync(real, join(home.directory, '.cursor/mcp.json'))
    await home.run(['mcp', 'install', 'cursor', '--write'])
    expect(realpathSync(join(home.directory, '.cursor/mcp.json'))).toBe(real)
    expect(Object(read(real)).mcpServers.vitrine).toBeDefined()
  })

  it('the places that variables name are used', async () => {
    const home = makeHome()
    await home.run(['mcp', 'install', 'codex', '--write'], {
      env: { CODEX_HOME: join(home.directory, 'elsewhere') },
    })
    expect(Object(read(join(home.directory, 'elsewhere/config.toml'))).mcp_servers.vitrine).toBeDefined()
  })

  it('an entry that reaches a server over the network makes way', async () => {
    const home = makeHome()
    mkdirSync(join(home.directory, '.cursor'))
    const file = join(home.directory, '.cursor/mcp.json')
    writeFileSync(file, '{"mcpServers": {"vitrine": {"url": "http://127.0.0.1:1/mcp", "disabled": true}}}')
    await home.run(['mcp', 'install', 'cursor', '--write'])
    const { vitrine } = Object(read(file)).mcpServers
    expect(vitrine.url).toBeUndefined()
    expect(vitrine).toMatchObject({ disabled: true, command: process.execPath })
  })
})

describe('a file that is there', () => {
  /** A home with the client's file; `install` writes our entry into it. */
  function homeWith(name: Name, content: string | Buffer) {
    const home = makeHome()
    const file = join(home.directory, places[name][0])
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, content)
    return { home, file, install: () => home.run(['mcp', 'install', name, '--write']) }
  }
  const backups = (file: string) => readdirSync(dirname(file)).filter((other) => other.includes('.backup'))

  it.each([
    [
      'cursor',
      '{ "mcpServers": { "vitrine": { // why\n "command": "old", // which\n "env": { "A": "b" /* x */ } } } }',
      ['// why', '// which', '/* x */'],
    ],
    [
      'cursor',
      '{ "mcpServers": { "vitrine": {\n  // why\n  "url": "http://x", // which\n  // old\n  "type": "sse"\n} } }',
      ['// why', '// which', '// old'],
    ],
    [
      'codex',
      '[mcp_servers.vitrine] # mine\n# why\ncommand = "old" # which\nenabled = true # keep\n# last\nstartup_timeout_sec = 20\n',
      ['# mine', '# why', '# which', '# keep', '# last', 'enabled = true'],
    ],
  ] as const)('%s: comments in our own entry stay', async (name, before, comments) => {
    const { file, install } = homeWith(name, before)
    expect((await install()).code).toBe(0)
    const after = readFileSync(file, 'utf8')
    for (const comment of comments) expect(after).toContain(comment)
    expect(Object(at(read(file), places[name][1])).command).toBe(process.execPath)
  })

  it('bytes that are not UTF-8 would be lost: nothing is written', async () => {
    const before = Buffer.from('{"a": "caf\xe9"}', 'latin1')
    const { file, install } = homeWith('cursor', before)
    const ran = await install()
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(noUtf8)
    expect(readFileSync(file)).toEqual(before)
    expect(backups(file)).toEqual([])
  })

  it.each([
    '[mcp_servers]\nvitrine = { command = "a" }\n',
    'mcp_servers.vitrine.command = "a"\n',
    'mcp_servers = { a = { command = "x" } }\n',
  ])('%j: it is left as it is, and not called invalid', async (before) => {
    const { file, install } = homeWith('codex', before)
    const ran = await install()
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(notEditable('mcp_servers'))
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it.each([
    ['{"mcpServers": null}', noObjectAt('mcpServers')],
    ['null', noObjectInFile],
  ])('%s is left as it is, and the reason is about the file', async (before, reason) => {
    const { file, install } = homeWith('cursor', before)
    const ran = await install()
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(reason)
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('what another program writes in the meantime is not lost', async () => {
    const { home, file } = homeWith('cursor', '{}')
    const installed = installEntry(clientOf('cursor', ['x'], home.env as Record<string, string>))
    writeFileSync(file, '{"theirs": 1}')
    expect(await installed).toMatchObject({ kind: 'failed', reason: changedMeanwhile })
    expect(readFileSync(file, 'utf8')).toBe('{"theirs": 1}')
    expect(backups(file)).toEqual([])
  })

  it('a FIFO is not waited for', async () => {
    const home = makeHome()
    mkdirSync(join(home.directory, '.cursor'))
    execFileSync('mkfifo', [join(home.directory, '.cursor/mcp.json')])
    const ran = await home.run(['mcp', 'install', 'cursor', '--write'])
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain(noFile)
  })

  it('a symlink that leads nowhere yet stays one, and its file is made', async () => {
    const home = makeHome()
    mkdirSync(join(home.directory, '.cursor'))
    symlinkSync('../dotfiles/mcp.json', join(home.directory, '.cursor/mcp.json'))
    expect((await home.run(['mcp', 'install', 'cursor', '--write'])).code).toBe(0)
    expect(Object(read(join(home.directory, 'dotfiles/mcp.json'))).mcpServers.vitrine).toBeDefined()
    expect(realpathSync(join(home.directory, '.cursor/mcp.json'))).toBe(
      realpathSync(join(home.directory, 'dotfiles/mcp.json')),
    )
  })

  it('its mode stays, whatever the umask is', () => {
    const { home, file } = homeWith('cursor', '{}')
    chmodSync(file, 0o664)
    const line = 'umask 077; exec "$@"'
    const words = ['sh', process.execPath, program, 'mcp', 'install', 'cursor', '--write']
    expect(spawnSync('sh', ['-c', line, ...words], { env: home.env }).status).toBe(0)
    expect(statSync(file).mode & 0o777).toBe(0o664)
  })

  it.runIf(process.getuid?.() === 0)("as root, as with sudo, its owner and its backup's stay", async () => {
    const { file, install } = homeWith('cursor', '{}')
    chownSync(file, 12_345, 54_321)
    expect((await install()).code).toBe(0)
    const files = [file, ...backups(file).map((name) => join(dirname(file), name))]
    expect(files.map((each) => statSync(each)).map(({ uid, gid }) => [uid, gid])).toEqual([
      [12_345, 54_321],
      [12_345, 54_321],
    ])
  })

  it.each([
    [
      'cursor',
      '{"mcpServers": {"vitrine": {"url": "http://x", "type": "sse", "env": {}}}}',
      ['args', 'command', 'env'],
    ],
    [
      'codex',
      '[mcp_servers.vitrine]\nurl = "http://x"\nenv_http_headers = { a = "b" }\nenabled = true\n',
      ['args', 'command', 'enabled', 'tool_timeout_sec'],
    ],
  ] as const)('%s: what belongs to a server on the network goes', async (name, before, keys) => {
    const { file, install } = homeWith(name, before)
    expect((await install()).code).toBe(0)
    expect(Object.keys(Object(at(read(file), places[name][1]))).sort()).toEqual(keys)
  })
})

it("Gemini's own home directory is used", async () => {
  const home = makeHome()
  const elsewhere = join(home.directory, 'elsewhere')
  await home.run(['mcp', 'install', 'gemini', '--write'], { env: { GEMINI_CLI_HOME: elsewhere } })
  expect(Object(read(join(elsewhere, '.gemini/settings.json'))).mcpServers.vitrine).toBeDefined()
})

describe('editing TOML', () => {
  const entry = { command: 'x', args: ['y'] }

  it.each([
    ['a = """\n[s.n]\n"""\n', { a: '[s.n]\n', s: { n: entry } }],
    ['[s.n]\ncommand = [\n  "[",\n]\n# next\n[s.m]\nb = 1\n', { s: { n: entry, m: { b: 1 } } }],
    ['[ s . "n" ] # ours\n\n[s.n.env]\nb = "1"', { s: { n: { ...entry, env: { b: '1' } } } }],
  ])('%j', async (text, wanted) => {
    expect(parse(await withTable(text, 's', 'n', entry))).toEqual(wanted)
  })

  it('lines end as they do in the file', async () => {
    expect(await withTable('a = 1\r\n', 's', 'n', { b: 2 })).toBe('a = 1\r\n\r\n[s.n]\r\nb = 2\r\n')
    expect(await withTable('[s.n]\r\na = 1\r\n', 's', 'n', { a: undefined, b: 2 })).toBe('[s.n]\r\nb = 2\r\n')
  })

  it('comments before the next table stay', async () => {
    expect(await withTable('[s.n]\na = 1\n\n# next\n[t]\n', 's', 'n', { a: 2 })).toBe(
      '[s.n]\na = 2\n\n# next\n[t]\n',
    )
  })
})

describe('editing JSON', () => {
  const entry = { command: 'x', args: ['y'] }

  it.each([
    ['', { s: { n: entry } }],
    ['{}', { s: { n: entry } }],
    ['{ }', { s: { n: entry } }],
    ['{"a":1}', { a: 1, s: { n: entry } }],
    ['{"s":{}}', { s: { n: entry } }],
    ['{"s":{"n":5}}', { s: { n: entry } }],
    ['{"s":{"n":{"deep":[1,{"n":2}]},"m":1}}', { s: { n: { ...entry, deep: [1, { n: 2 }] }, m: 1 } }],
    ['\uFEFF{"a":"//no comment","b":"\\"{"}', { a: '//no comment', b: '"{', s: { n: entry } }],
    ['// head\n{"s":{/*in*/"m":[1,2,],},}// tail', { s: { n: entry, m: [1, 2] } }],
    ['{"n":1,"t":{"n":{}},"s":{"o":{"n":1}}}', { n: 1, t: { n: {} }, s: { o: { n: 1 }, n: entry } }],
  ])('%s', (text, wanted) => {
    expect(parseJsonc(withEntry(text, 's', 'n', entry))).toEqual(wanted)
  })

  it('indents as the file does', () => {
    expect(withEntry('{\n\t"a": 1\n}\n', 's', 'n', {})).toBe('{\n\t"s": {\n\t\t"n": {}\n\t},\n\t"a": 1\n}\n')
  })

  it.each([
    ['{ "url": 1 }', '{  }'],
    ['{"url": 1, "a": 2}', '{ "a": 2}'],
    ['{"a": 2, "url": 1}', '{"a": 2 }'],
    ['{"a": 2 /* x */, /* y */ "url": 1 /* z */}', '{"a": 2 /* x */ /* y */  /* z */}'],
    ['{"url": 1 /* x */, /* y */ "a": 2}', '{ /* x */ /* y */ "a": 2}'],
    ['{\r\n  // why\r\n  "url": 1\r\n}', '{\r\n  // why\r\n}'],
    [
      '{\n  "a": 2, // x\n  // why\n  "url": 1, // which\n  // y\n}',
      '{\n  "a": 2, // x\n  // why\n   // which\n  // y\n}',
    ],
    ['{\n  "a": 2,\n  // why\n  "url": 1,\n  "b": 3\n}', '{\n  "a": 2,\n  // why\n  "b": 3\n}'],
    ['{\n  "a": 2, // x\n  "url": [1,\n  2]\n}', '{\n  "a": 2 // x\n}'],
  ])('%j without a member keeps every comment', (before, after) => {
    const inside = (entry: string) => `{"s": {"n": ${entry}}}`
    expect(withEntry(inside(before), 's', 'n', { url: undefined })).toBe(inside(after))
  })

  it.each(['{', '{"a"}', '{"a":}', '[]', '5', '{} {}', "{'a': 1}", '{"a": 1 "b": 2}', '{"s": 5}'])(
    '%s cannot be edited',
    (text) => {
      expect(() => parseJsonc(withEntry(text, 's', 'n', entry))).toThrow()
    },
  )
})
