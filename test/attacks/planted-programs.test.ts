import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { gitSetting } from '../../src/sandbox/docker/image.ts'
import { ended, Home, program } from '../cli/vitrine.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'
import { terminalProgram } from '../helpers/terminal.ts'

/** Outside of the project: only what runs unconfined can write it. */
const witness = join(makeDirectory(), 'witness')
const home = new Home()
const project = join(home.directory, 'project')

/** Every program of the system, under its name, in each of the directories. */
function plant(...directories: readonly string[]): void {
  const evil = join(project, 'evil')
  mkdirSync(project, { recursive: true })
  writeFileSync(evil, `#!/bin/sh\n/bin/echo "$0" >> ${witness}\nexit 1\n`, { mode: 0o755 })
  const names = ['/bin', '/sbin', '/usr/bin', '/usr/sbin'].flatMap((directory) => readdirSync(directory))
  for (const directory of directories) {
    mkdirSync(directory, { recursive: true })
    for (const name of [...names, 'node', 'python3', 'git', 'docker'])
      if (!existsSync(join(directory, name))) symlinkSync(evil, join(directory, name))
  }
  // Python and Node run these where PYTHONPATH and NODE_OPTIONS name them.
  const evilModule = `open(${JSON.stringify(witness)}, "a").write("sitecustomize\\n")\n`
  writeFileSync(join(project, 'sitecustomize.py'), evilModule)
}

const bins = [project, join(project, 'node_modules/.bin'), join(project, 'bin')]
plant(...bins)
execFileSync('git', ['init', '-q', project])

const search = {
  'a relative entry': '.:./bin:node_modules/.bin',
  'an empty entry': `:${process.env['PATH']}`,
  'entries of the project': bins.join(':'),
} as const
type Search = keyof typeof search
const kinds = Object.keys(search) as Search[]

function environment(kind: Search): NodeJS.ProcessEnv {
  return { PATH: `${search[kind]}:${process.env['PATH']}`, PYTHONPATH: project }
}

function run(args: readonly string[], kind: Search, input?: string) {
  return home.run(args, { cwd: project, env: environment(kind), ...(input === undefined ? {} : { input }) })
}

function witnessed(): string {
  return existsSync(witness) ? readFileSync(witness, 'utf8') : ''
}

const initialize = [
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  },
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  {
    jsonrpc: '2.0',
    id: 2,
    method: 'tools/call',
    params: { name: 'execute_command', arguments: { command: 'id; git status; python3 -c 1' } },
  },
]

const commands: readonly { readonly args: readonly string[]; readonly input?: string }[] = [
  { args: ['run', '--', 'id; cat /dev/null; git status; python3 -c 1'] },
  { args: ['run', '--mode', 'workspace', '--', 'id; git status; python3 -c 1'] },
  { args: ['run', '--mode', 'workspace', '--json', '--', 'ls', '-l'] },
  { args: ['shell', '--mode', 'read'], input: 'id\ncat <<X\nX\nexit\n' },
  {
    args: ['mcp', '--mode', 'read,workspace', '--tool-per-mode'],
    input: `${initialize.map((each) => JSON.stringify(each)).join('\n')}\n`,
  },
  { args: ['mcp', 'install', 'cursor'] },
  { args: ['policy', 'check', '--write', '--', 'git status'] },
  { args: ['policy', 'list'] },
  { args: ['docker', 'status'] },
  { args: ['docker', 'clean'] },
  { args: ['config', 'show'] },
  { args: ['config', 'init'] },
  { args: ['config', 'path'] },
  { args: ['scratchpad', 'list'] },
  { args: ['completion', 'bash'] },
  { args: ['completion', 'candidates', '--', 'run', '--shell', ''] },
  { args: ['--version'] },
]

afterEach(() => rmSync(witness, { force: true }))

describe('a program of the project, named like one of the system', () => {
  it('runs in write mode: the control', async () => {
    await run(['run', '--write', '--', 'id'], 'entries of the project')
    expect(witnessed()).toContain('/id')
  })

  describe.each(kinds)('with %s in PATH', (kind) => {
    it.each(commands)('does not run outside of the sandbox: $args', async ({ args, input }) => {
      await run(args, kind, input)
      expect(witnessed()).toBe('')
    })
  })

  it.each(kinds)('does not run in vitrine doctor, which still tries everything: %s', async (kind) => {
    const { stdout } = await run(['doctor', '--json'], kind)
    expect(witnessed()).toBe('')
    expect(JSON.parse(stdout)).toMatchObject({ verdict: 'enforced' })
  })

  it.runIf(isInstalled('python3'))('does not run for a terminal of a command', async () => {
    const args = [terminalProgram(), process.execPath, program, 'run', '--pty', '--', '/usr/bin/tty']
    const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' }).trim()
    const child = spawn(python, args, {
      cwd: project,
      env: { ...home.env, PATH: environment('entries of the project')['PATH'] },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect((await ended(child)).stdout).toContain('/dev/pts/')
    expect(witnessed()).toBe('')
  })

  it('does not run for the identity of git that a container gets', async () => {
    writeFileSync(join(home.directory, '.gitconfig'), '[user]\nname = A\n')
    const env = { ...home.env, ...environment('entries of the project') }
    expect(await gitSetting('user.name', env as Record<string, string>)).toBe('A')
    expect(witnessed()).toBe('')
  })
})
