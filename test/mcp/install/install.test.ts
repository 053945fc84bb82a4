import { spawnSync } from 'node:child_process'
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
import { parseJsonc, withValue } from '../../../src/base/edits.ts'
import { clientOf } from '../../../src/mcp/install/clients.ts'
import { installEntry } from '../../../src/mcp/install/install.ts'
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

/** A home with the client's file; `install` writes our entry into it. */
function homeWith(name: Name, content: string | Buffer, mode = 0o644) {
  const home = makeHome()
  const file = join(home.directory, places[name][0])
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { mode })
  return { home, file, install: () => home.run(['mcp', 'install', name, '--write']) }
}

/** What stands beside the file with what it was before. */
function backups(file: string): readonly string[] {
  const directory = dirname(file)
  const names = readdirSync(directory).filter((name) => name.includes('.backup'))
  return names.map((name) => join(directory, name))
}

it('mcp install passes on what the server is to give commands', async () => {
  const given = ['--approve', 'none', '--backend', 'docker', '--network', '--private-tmp']
  const { stdout } = await makeHome().run(['mcp', 'install', 'claude', ...given])
  expect(JSON.parse(stdout).mcpServers.vitrine.args.slice(1)).toEqual(['mcp', ...given])
})

describe.each(names)('mcp install %s', (name) => {
  const [below, path] = places[name]
  const command = [process.execPath, program, 'mcp', '--mode', 'both', '--tool-per-mode']

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
    const before = below.endsWith('.toml')
      ? `# mine\nmodel = "x"\n\n[${path[0]}.other] # theirs\ncommand = "a"\n\n[tui]\nx = 1\n`
      : `{\n    // mine\n    "theme": "dark",\n    "${path[0]}": {\n        "other": { "command": "a", }, /* theirs */\n    },\n}\n`
    const { file, install } = homeWith(name, before, 0o640)
    const known = read(file)
    await install()
    const after = readFileSync(file, 'utf8')
    const { [path[1]]: ours, ...others } = Object(at(read(file), [path[0]]))
    expect(ours).toBeDefined()
    expect({ ...Object(read(file)), [path[0]]: others }).toEqual(known)
    for (const comment of ['mine', 'theirs']) expect(after).toContain(comment)
    expect(statSync(file).mode & 0o777).toBe(0o640)
    expect(backups(file).map((backup) => readFileSync(backup, 'utf8'))).toEqual([before])
    expect((await install()).stderr).toContain(`${file}: already has this entry`)
    expect(readFileSync(file, 'utf8')).toBe(after)
  })

  it('replaces our own entry, and keeps what the user added to it', async () => {
    const home = makeHome()
    const file = join(home.directory, below)
    await home.run(['mcp', 'install', name, '--write'])
    const text = readFileSync(file, 'utf8')
    const changed = below.endsWith('.toml')
      ? `${text}\n[${path[0]}.vitrine.env]\nA = "b"\n\n[other]\nx = 1\n`
      : withValue(text, [...path], { ...Object(at(read(file), path)), env: { A: 'b' } })
    writeFileSync(file, changed)
    expect((await home.run(['mcp', 'install', name, '--write', '--mode', 'write'])).code).toBe(0)
    const entry = Object(at(read(file), path))
    expect(entry.env).toEqual({ A: 'b' })
    expect(JSON.stringify(entry)).toContain('"--mode","write"')
    expect(JSON.stringify(entry)).not.toContain('--tool-per-mode')
  })

  it('a file that cannot be read as what it should be is left as it is', async () => {
    const other = below.endsWith('.toml') ? `${path[0]} = 5\n` : '[]'
    for (const broken of ['{"a": ', `${path[0]} = 5\n{`, other]) {
      const { file, install } = homeWith(name, broken)
      expect((await install()).code).toBe(125)
      expect(readFileSync(file, 'utf8')).toBe(broken)
      expect(backups(file)).toEqual([])
    }
  })
})

describe('mcp install', () => {
  it.each([
    [[], 'codex|gemini'],
    [['emacs'], 'codex|gemini'],
    [['codex', 'gemini'], 'codex|gemini'],
    [['codex', '--mode', 'all'], '--mode takes read, workspace and write,'],
    [['codex', '--print', '--write'], 'Use either --print or --write, not both.'],
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
    expect(ran.stderr).toContain('vitrine runs from the cache of npx')
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
    const env = { CODEX_HOME: join(home.directory, 'elsewhere') }
    await home.run(['mcp', 'install', 'codex', '--write'], { env })
    expect(Object(read(join(home.directory, 'elsewhere/config.toml'))).mcp_servers.vitrine).toBeDefined()
  })
})

describe('a file that is there', () => {
  it('bytes that are not UTF-8 would be lost: nothing is written', async () => {
    const before = Buffer.from('{"a": "caf\xe9"}', 'latin1')
    const { file, install } = homeWith('cursor', before)
    const ran = await install()
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain('it is not text in UTF-8')
    expect(readFileSync(file)).toEqual(before)
    expect(backups(file)).toEqual([])
  })

  it('what another program writes in the meantime is not lost', async () => {
    const { home, file } = homeWith('cursor', '{}')
    const installed = installEntry(clientOf('cursor', ['x'], home.env as Record<string, string>))
    writeFileSync(file, '{"theirs": 1}')
    await expect(installed).rejects.toThrow('another program changed it')
    expect(readFileSync(file, 'utf8')).toBe('{"theirs": 1}')
    expect(backups(file)).toEqual([])
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
    const [backup = ''] = backups(file)
    for (const each of [file, backup]) expect(statSync(each)).toMatchObject({ uid: 12_345, gid: 54_321 })
  })

  it.each([
    ['cursor', 'env', '{"mcpServers": {"vitrine": {"url": "http://x", "type": "sse", "env": {}}}}'],
    [
      'codex',
      'enabled tool_timeout_sec',
      '[mcp_servers.vitrine]\nurl = "http://x"\nenv_http_headers = { a = "b" }\nenabled = true # mine\n\n# theirs\n[x]\n',
    ],
  ] as const)(
    '%s: of our own entry stays %s, not what a server on the network has',
    async (name, kept, before) => {
      const { file, install } = homeWith(name, before)
      expect((await install()).code).toBe(0)
      const entry = Object(at(read(file), places[name][1]))
      expect(Object.keys(entry).sort()).toEqual(['args', 'command', ...kept.split(' ')])
      for (const comment of before.match(/# \w+/g) ?? [])
        expect(readFileSync(file, 'utf8')).toContain(comment)
    },
  )
})
