import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'

/** Where each keeps what attaching writes beside its programs, the user's own file first; and how it names a call. */
const clients = {
  copilot: { files: ['.copilot/hooks/vitrine.json'], shell: 'bash', write: ['create', 'path'] },
  gemini: {
    files: ['.gemini/settings.json'],
    shell: 'run_shell_command',
    write: ['write_file', 'file_path'],
  },
  kilo: {
    files: ['.config/kilo/kilo.json', '.config/kilo/plugin/vitrine.js'],
    shell: 'bash',
    write: ['write', 'filePath'],
  },
  opencode: {
    files: ['.config/opencode/opencode.json', '.config/opencode/plugin/vitrine.js'],
    shell: 'bash',
    write: ['write', 'filePath'],
  },
  pi: {
    files: ['.pi/agent/settings.json', '.pi/agent/extensions/vitrine.js'],
    shell: 'bash',
    write: ['write', 'path'],
  },
  qwen: { files: ['.qwen/settings.json'], shell: 'run_shell_command', write: ['write_file', 'file_path'] },
} as const

type Name = keyof typeof clients
const names = Object.keys(clients) as Name[]
const rewriting = ['copilot', 'gemini'] as const

function shellOf(name: Name): string {
  if (name === 'qwen') return 'bin/bash'
  return rewriting.some((each) => each === name) ? 'vitrine-sh' : 'bash'
}

async function attached(name: Name, text?: string) {
  const home = new Home()
  for (const each of ['XDG_CONFIG_HOME', 'COPILOT_HOME', 'GEMINI_CLI_HOME', 'PI_CODING_AGENT_DIR'])
    delete home.env[each]
  const file = join(home.directory, clients[name].files[0])
  mkdirSync(dirname(file), { recursive: true })
  if (text !== undefined) writeFileSync(file, text)
  expect(await home.run(['attach', name, '--mode', 'read'])).toMatchObject({ code: 0 })
  const state = join(home.directory, '.state/vitrine/attached', name)
  return { home, state, file: (index: number) => join(home.directory, clients[name].files[index] ?? '') }
}

/** A call as the client tells it to its hook. */
function told(name: Name, cwd: string, tool: string, input: object): string {
  if (name === 'copilot') return JSON.stringify({ cwd, toolName: tool, toolArgs: input })
  return JSON.stringify({ cwd, tool_name: tool, tool_input: input })
}

function judged({ home, state }: Awaited<ReturnType<typeof attached>>, input: string) {
  const env = { ...home.env, PATH: `${join(state, 'bin')}:${process.env['PATH']}` }
  return spawnSync(join(state, 'hook'), { input, env, cwd: home.directory, encoding: 'utf8' })
}

describe('attach', () => {
  it.each(names.filter((name) => name !== 'copilot'))(
    '%s: keeps comments; detach restores every byte',
    async (name) => {
      const text = '{\n  // mine\n  "theme": "dark",\n}\n'
      const { home, state, file } = await attached(name, text)
      expect(readFileSync(file(0), 'utf8')).toContain('// mine')
      expect(await home.run(['detach', name])).toMatchObject({ code: 0 })
      expect(readFileSync(file(0), 'utf8')).toBe(text)
      expect(existsSync(state)).toBe(false)
    },
  )

  it.each(names)('%s: detach removes all that was made', async (name) => {
    const { home, file } = await attached(name)
    expect(existsSync(file(0))).toBe(true)
    await home.run(['detach', name])
    for (const index of clients[name].files.keys()) expect(existsSync(file(index))).toBe(false)
  })

  it.each(names)('%s: the shell refuses what the mode refuses, and reads bash', async (name) => {
    const { home, state } = await attached(name)
    const shell = join(state, shellOf(name))
    const options = { env: home.env, cwd: home.directory, encoding: 'utf8' } as const
    const { stdout, stderr } = spawnSync(shell, ['-c', '[[ a == a ]] && echo {1,2}; echo x > probe'], options)
    expect(stdout).toContain('1 2')
    expect(stderr).toMatch(/probe: Permission denied[\s\S]*^vitrine: /m)
    expect(readdirSync(home.directory)).not.toContain('probe')
  })

  it.each(names)('%s: its hook refuses a file tool, and says why', async (name) => {
    const place = await attached(name)
    const [tool, field] = clients[name].write
    const { stdout, stderr, status } = judged(
      place,
      told(name, place.home.directory, tool, { [field]: join(place.home.directory, 'x') }),
    )
    expect(stdout + stderr).toContain('read mode changes nothing')
    expect(name === 'copilot' ? JSON.parse(stdout).permissionDecision : status).toBe(
      name === 'copilot' ? 'deny' : 2,
    )
  })

  it.each(rewriting)('%s: its hook rewrites a line, which then runs held', async (name) => {
    const place = await attached(name)
    const { directory, env } = place.home
    const command = "echo 'it''s' \"$HOME\" > probe"
    const { stdout } = judged(place, told(name, directory, clients[name].shell, { command, other: 1 }))
    const answer = JSON.parse(stdout)
    const line = (answer.hookSpecificOutput?.tool_input ?? answer.modifiedArgs).command
    // Gemini takes `bash -c` off a line.
    expect(line).not.toMatch(/^\S*\/(ba|z)?sh -c/)
    const ran = spawnSync('bash', ['-c', line], { env, cwd: directory, encoding: 'utf8' })
    expect(ran.stderr).toMatch(/probe: Permission denied[\s\S]*^vitrine: /m)
    expect(readdirSync(directory)).not.toContain('probe')
  })

  it("copilot's patches are judged by the files that they name", async () => {
    const place = await attached('copilot')
    for (const toolArgs of [
      '*** Begin Patch\n*** Update File: x\n*** End Patch\n',
      'none',
      { input: 'none' },
    ]) {
      const call = JSON.stringify({ cwd: place.home.directory, toolName: 'apply_patch', toolArgs })
      const { stdout, status } = judged(place, call)
      expect(status === 2 || JSON.parse(stdout).permissionDecision === 'deny').toBe(true)
    }
  })

  it.each(names)('%s: its hook refuses where vitrine is gone, crashes, or says nothing', async (name) => {
    const place = await attached(name)
    const hook = join(place.state, 'hook')
    const text = readFileSync(hook, 'utf8')
    const call = told(name, place.home.directory, clients[name].shell, { command: 'true' })
    for (const program of ['/nonexistent/vitrine', 'false', 'true', 'exit 3']) {
      writeFileSync(
        hook,
        text.replace(/\$\(timeout.*\)(?= \|\|)/m, () => `$(${program})`),
      )
      expect(judged(place, call)).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('vitrine: '),
      })
    }
  })

  it.each(rewriting)('%s: its hook refuses a call without a command', async (name) => {
    const place = await attached(name)
    const call = told(name, place.home.directory, clients[name].shell, { command: 7 })
    expect(judged(place, call)).toMatchObject({ status: 2, stdout: '' })
    expect(judged(place, 'no JSON')).toMatchObject({ status: 2, stdout: '' })
  })
})

describe('qwen', () => {
  it('refuses lines until our bash is the first on PATH, which then runs our hook bare', async () => {
    const { home, state, file } = await attached('qwen')
    const { command } = JSON.parse(readFileSync(file(0), 'utf8')).hooks.PreToolUse[0].hooks[0]
    const input = told('qwen', home.directory, 'run_shell_command', { command: 'true' })
    const options = { input, cwd: home.directory, encoding: 'utf8' } as const
    const bare = spawnSync('bash', ['-c', command], { ...options, env: home.env })
    expect(bare).toMatchObject({ status: 2, stderr: expect.stringContaining('first on its PATH') })
    const env = { ...home.env, PATH: `${join(state, 'bin')}:${process.env['PATH']}` }
    expect(spawnSync('bash', ['-c', command], { ...options, env })).toMatchObject({
      status: 0,
      stdout: '{}\n',
    })
    // Held, but for the very words of our hook.
    const more = spawnSync('bash', ['-c', `echo x > probe; ${command}`], { ...options, env })
    expect(more.stderr).toContain('Permission denied')
    expect(readdirSync(home.directory)).not.toContain('probe')
  })
})

describe('cline', () => {
  it('rewrites lines, cancels what is refused, and cancels where vitrine gives no answer', async () => {
    const home = new Home()
    expect(await home.run(['attach', 'cline', '--mode', 'read'])).toMatchObject({ code: 0 })
    const hook = join(home.directory, '.cline/hooks/PreToolUse')
    const judge = (name: string, input: object) => {
      const call = JSON.stringify({ tool_call: { name, input }, workspaceRoots: [home.directory] })
      return JSON.parse(spawnSync(hook, { input: call, env: home.env, encoding: 'utf8' }).stdout)
    }
    const { commands } = judge('run_commands', { commands: ['echo x > probe', 'true'] }).overrideInput
    for (const line of commands) spawnSync('bash', ['-c', line], { cwd: home.directory, env: home.env })
    expect(commands).toHaveLength(2)
    expect(readdirSync(home.directory)).not.toContain('probe')
    expect(judge('editor', { path: join(home.directory, 'x') })).toMatchObject({ cancel: true })
    expect(judge('read_files', {})).toEqual({})
    const text = readFileSync(hook, 'utf8')
    for (const program of ['/nonexistent/vitrine', 'false', 'true']) {
      writeFileSync(
        hook,
        text.replace(/\$\(timeout.*\)(?= \|\|)/m, () => `$(${program})`),
      )
      expect(judge('run_commands', { commands: ['true'] })).toMatchObject({ cancel: true })
    }
    writeFileSync(hook, text)
    expect(await home.run(['detach', 'cline'])).toMatchObject({ code: 0 })
    expect(existsSync(hook)).toBe(false)
  })
})

describe('what is loaded into a client', () => {
  it('pi: the extension throws what the hook refuses, lines where the project has settings', async () => {
    const { home, file } = await attached('pi')
    const handlers: ((event: object, context: object) => void)[] = []
    const { default: load } = await import(pathToFileURL(file(1)).href)
    load({ on: (_: string, handler: (typeof handlers)[number]) => handlers.push(handler) })
    const call = (toolName: string, input: object) => () =>
      handlers[0]?.({ toolName, input }, { cwd: home.directory })
    expect(call('write', { path: 'x' })).toThrow('read mode changes nothing')
    expect(call('bash', { command: 'true' })).not.toThrow()
    writeFileSync(join(home.directory, '.pi/settings.json'), '{ "shellPath": "/bin/bash" }')
    expect(call('bash', { command: 'true' })).toThrow('shellPath')
  })

  it.each(['opencode', 'kilo'] as const)(
    '%s: the plugin refuses lines while another shell is in force',
    async (name) => {
      const { home, file, state } = await attached(name)
      const { Vitrine } = await import(pathToFileURL(file(1)).href)
      const plugin = await Vitrine({ directory: home.directory })
      const call = (tool: string, args: object) => plugin['tool.execute.before']({ tool }, { args })
      await plugin.config({ shell: '/bin/bash' })
      await expect(call('bash', { command: 'true' })).rejects.toThrow('another shell')
      await plugin.config({ shell: join(state, 'bash') })
      await call('bash', { command: 'true' })
      const patchText = '*** Begin Patch\n*** Add File: x\n+x\n*** End Patch\n'
      await expect(call('apply_patch', { patchText })).rejects.toThrow('read mode changes nothing')
      await expect(call('apply_patch', {})).rejects.toThrow('does not know')
      await expect(call('write', { filePath: 'x' })).rejects.toThrow('read mode changes nothing')
    },
  )
})
