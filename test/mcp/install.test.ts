import { spawnSync } from 'node:child_process'
import {
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
import { parseJsonc, withEntry } from '../../src/mcp/install/json-edit.ts'
import { withTable } from '../../src/mcp/install/toml-edit.ts'
import { notInstalled, printAndWrite, unchangedText } from '../../src/messages/mcp/install.ts'
import { badMode } from '../../src/messages/mcp/serve.ts'
import { Home, program } from '../cli/vitrine.ts'
import { repository } from '../helpers/programs.ts'

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
  for (const name of ['CODEX_HOME', 'CLAUDE_CONFIG_DIR']) delete home.env[name]
  return home
}

it('mcp install passes on what the server is to give commands', async () => {
  const given = ['--approve', 'none', '--backend', 'docker', '--network', '--private-tmp']
  const { stdout } = await makeHome().run(['mcp', 'install', 'claude', ...given])
  expect(JSON.parse(stdout).mcpServers.vitrine.args.slice(1)).toEqual(['mcp', ...given])
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

describe('editing TOML', () => {
  const entry = { command: 'x', args: ['y'] }

  it.each([
    ['a = """\n[s.n]\n"""\n', { a: '[s.n]\n', s: { n: entry } }],
    ['[s.n]\ncommand = [\n  "[",\n]\n# next\n[s.m]\nb = 1\n', { s: { n: entry, m: { b: 1 } } }],
    ['[ s . "n" ] # ours\n\n[s.n.env]\nb = "1"', { s: { n: { ...entry, env: { b: '1' } } } }],
  ])('%j', async (text, wanted) => {
    expect(parse(await withTable(text, 's', 'n', entry))).toEqual(wanted)
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
    ['{"s":{"n":{"deep":[1,{"n":2}]},"m":1}}', { s: { n: entry, m: 1 } }],
    ['\uFEFF{"a":"//no comment","b":"\\"{"}', { a: '//no comment', b: '"{', s: { n: entry } }],
    ['// head\n{"s":{/*in*/"m":[1,2,],},}// tail', { s: { n: entry, m: [1, 2] } }],
    ['{"n":1,"t":{"n":{}},"s":{"o":{"n":1}}}', { n: 1, t: { n: {} }, s: { o: { n: 1 }, n: entry } }],
  ])('%s', (text, wanted) => {
    expect(parseJsonc(withEntry(text, 's', 'n', entry))).toEqual(wanted)
  })

  it('indents as the file does', () => {
    expect(withEntry('{\n\t"a": 1\n}\n', 's', 'n', 1)).toBe('{\n\t"s": {\n\t\t"n": 1\n\t},\n\t"a": 1\n}\n')
  })

  it.each(['{', '{"a"}', '{"a":}', '[]', '5', '{} {}', "{'a': 1}", '{"a": 1 "b": 2}', '{"s": 5}'])(
    '%s cannot be edited',
    (text) => {
      expect(() => parseJsonc(withEntry(text, 's', 'n', entry))).toThrow()
    },
  )
})
