import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { tools as aiSdkTools } from '../../src/adapters/ai-sdk.ts'
import { tools as anthropicTools } from '../../src/adapters/anthropic.ts'
import { tools as agentTools } from '../../src/adapters/openai-agents.ts'
import { type ShellTool, type ToolsOptions, tools } from '../../src/adapters/tool.ts'
import type { Mode } from '../../src/index.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'

/** In a directory that a command of workspace mode may change. */
const open = (options: TestShellOptions = {}) => openTestShell({ cwd: makeDirectory(), ...options })

/** Every name that a tool of ours has, here or in the MCP server. */
const names = [
  ...['execute_command', 'execute_command_workspace', 'execute_command_write'],
  ...['read_scratchpad', 'list_scratchpad', 'set_mode', 'read_command', 'stop_command', 'list_commands'],
  ...['read_file', 'write_file', 'edit_file'],
]

/** The names in a text that no tool of the set has. */
function strangersIn(text: string, set: readonly { readonly name: string }[]): string[] {
  const known = set.map(({ name }) => name)
  const named = text.match(/\b[a-z]+(_[a-z]+)+\b/g) ?? []
  return named.filter((name) => names.includes(name) && !known.includes(name))
}

function toolIn(set: readonly ShellTool[], name: string): ShellTool {
  const found = set.find((tool) => tool.name === name)
  if (!found) throw new Error(`there is no ${name}`)
  return found
}

const always = ['execute_command', 'read_scratchpad']
const background = ['read_command', 'stop_command', 'list_commands']

const change = { content: 'x', old_string: 'y', new_string: 'z' }
const filesToTry = [{ path: 'nosuch' }, { path: '/proc/version', ...change }, { path: 'nosuch', ...change }]

const sets: readonly (readonly [mode: Mode, options: ToolsOptions, has: readonly string[]])[] = [
  ['read', {}, always],
  ['read', { background: true }, [...always, ...background]],
  ['workspace', {}, [...always, ...background]],
  ['write', { modes: ['write'], background: false }, always],
  ['read', { approveMode: () => true }, [...always, ...background, 'set_mode']],
  ['workspace', { approveMode: () => false, background: false }, [...always, 'set_mode']],
  ['write', { approveMode: () => true }, [...always, ...background]],
  ['read', { files: true }, [...always, 'read_file']],
  ['write', { files: true, background: false }, [...always, 'read_file', 'write_file', 'edit_file']],
]

describe.each(sets)('the tools of a shell in %s mode with %j', (mode, options, has) => {
  it('are complete, and name no tool that is not there', async () => {
    const set = tools(await open({ mode }), options)
    expect(set.map(({ name }) => name)).toEqual(has)
    expect(strangersIn(JSON.stringify(set), set)).toEqual([])
  })

  it('give answers that name no tool that is not there, and no flag', async () => {
    const shell = await open({ mode, toml: '[output]\ninline_max_chars = 1000\n' })
    const set = tools(shell, options)
    const { run } = toolIn(set, 'execute_command')
    const commands = ['seq 5000', 'touch .envrc; exit 1', 'git init -q z', 'sleep 9', '', 'nosuch']
    const calls = [
      ...commands.map((command) => run({ command, timeout_ms: 300 })),
      run({ command: 'true', cwd: '/nowhere' }),
      run({ command: 'true', tty: true }),
      toolIn(set, 'read_scratchpad').run({ name: 'nosuch' }),
      run({ command: 'echo started; exit 3', background: true }),
      ...set.filter(({ name }) => background.includes(name)).map((tool) => tool.run({ id: 'bg9' })),
      ...set
        .filter(({ name }) => name.endsWith('_file'))
        .flatMap((tool) => filesToTry.map((input) => tool.run(input))),
    ]
    for (const { text } of await Promise.all(calls)) {
      expect(text).not.toBe('')
      expect([strangersIn(text, set), text]).toEqual([[], text])
      expect(text).not.toMatch(/(^|\s)--\w/)
    }
  })
})

describe('execute_command', () => {
  it('runs in the strictest mode, in another one if the call says so, and in no looser one', async () => {
    const shell = await open({ mode: 'write' })
    const { run } = toolIn(tools(shell, { modes: ['write', 'read'] }), 'execute_command')
    const file = join(shell.cwd, 'file')
    const command = `echo x > ${file}`
    expect((await run({ command })).text).toContain('[blocked in read mode: create')
    expect(existsSync(file)).toBe(false)
    expect(await run({ command, mode: 'write' })).toMatchObject({ text: '(no output)', isError: false })
    expect(readFileSync(file, 'utf8')).toBe('x\n')
    expect(await run({ command, mode: 'workspace' })).toMatchObject({ isError: true, results: [] })
  })

  it('has no choice of a mode where there is one', async () => {
    const set = tools(await open())
    expect(Object.keys(toolIn(set, 'execute_command').inputSchema.properties)).not.toContain('mode')
  })

  it('a refusal is an answer that says so; a signal ends the command', async () => {
    const shell = await open({ mode: 'write', toml: '[policy]\ndeny = ["shred"]\n' })
    const { run } = toolIn(tools(shell, { modes: ['write'] }), 'execute_command')
    expect(await run({ command: 'shred x' })).toMatchObject({
      text: expect.stringMatching(/^DENIED: /),
      isError: true,
    })
    const { text, results } = await run({ command: 'sleep 60' }, { signal: AbortSignal.timeout(300) })
    expect([text, results[0]?.cancelled]).toEqual(['(no output)\n[cancelled]', true])
  })
})

describe('the tools for files', () => {
  it('change files in the strictest mode that can, and a refusal is an answer', async () => {
    const shell = await open({ mode: 'write' })
    const set = tools(shell, { files: true, modes: ['read', 'write'] })
    const call = async (name: string, input: object) => {
      const { text, isError } = await toolIn(set, name).run(input)
      return [text, isError]
    }
    expect(await call('write_file', { path: 'a', content: 'one\n' })).toEqual(['Created a (4 bytes).', false])
    const edit = { path: 'a', old_string: 'one', new_string: 'two' }
    expect(await call('edit_file', edit)).toEqual(['Edited a at line 1.', false])
    expect(await call('read_file', { path: 'a' })).toEqual(['     1\ttwo', false])
    expect(await call('edit_file', edit)).toEqual([
      expect.stringContaining('FILE_FAILED: a was not edited'),
      true,
    ])
    expect(await call('edit_file', { path: 'a' })).toEqual([expect.stringContaining('old_string'), true])
    expect(readFileSync(join(shell.cwd, 'a'), 'utf8')).toBe('two\n')
  })
})

describe('read_scratchpad', () => {
  it('reads what a command of the same set has saved, and lists it', async () => {
    const set = tools(await open())
    await toolIn(set, 'execute_command').run({ command: 'seq 10', scratchpad: 'ten' })
    const { run } = toolIn(set, 'read_scratchpad')
    expect((await run({ name: 'ten', offset: -2 })).text).toBe('9\n10\n[lines 9 to 10 of 10]')
    expect((await run({})).text).toMatch(/^ten .* seq 10$/)
    expect(await run({ name: 'no' })).toMatchObject({ isError: true })
    expect(await run({ name: 'ten', limit: 0 })).toMatchObject({ isError: true })
  })
})

describe('commands in the background', () => {
  it('run on, are read as they print, listed, and stopped', async () => {
    const set = tools(await open({ mode: 'workspace' }))
    const run = (name: string, input: object) => toolIn(set, name).run(input)
    const command = 'echo first; while [ ! -e go ]; do sleep 0.02; done; echo second; sleep 60'
    const started = await run('execute_command', { command, background: true, mode: 'workspace' })
    expect(started).toMatchObject({ text: expect.stringMatching(/^first\n\[bg1 is running/), results: [] })
    await run('execute_command', { command: 'touch go', mode: 'workspace' })
    const { text } = await run('read_command', { id: 'bg1', wait_ms: 60_000, until: 'second' })
    expect(text).toMatch(/^second\n\[bg1 is running/)
    expect((await run('list_commands', {})).text).toMatch(/^bg1 .*workspace mode/)
    const stopped = await run('stop_command', { id: 'bg1' })
    expect(stopped.text).toContain('bg1 has ended')
    expect(stopped.results[0]?.signal).toBe('SIGTERM')
  })

  it('run in the strictest mode if the call says nothing', async () => {
    const shell = await open({ mode: 'workspace' })
    const { run } = toolIn(tools(shell), 'execute_command')
    expect((await run({ command: 'touch made', background: true })).text).toContain('[blocked in read mode')
    expect(existsSync(join(shell.cwd, 'made'))).toBe(false)
  })
})

describe('set_mode', () => {
  it('asks about a looser mode, and commands run in it after a yes only', async () => {
    const asked: object[] = []
    let answer = false
    const shell = await open({ mode: 'read' })
    const approveMode: ToolsOptions['approveMode'] = (request) => {
      asked.push(request)
      return answer
    }
    const set = tools(shell, { approveMode })
    const ask = () => toolIn(set, 'set_mode').run({ mode: 'write', reason: 'to make a file' })
    const write = () => toolIn(set, 'execute_command').run({ command: 'touch file', mode: 'write' })
    expect(await ask()).toMatchObject({ isError: true, text: expect.stringMatching(/^NOT_APPROVED: /) })
    expect(await write()).toMatchObject({ isError: true })
    expect([shell.mode, existsSync(join(shell.cwd, 'file'))]).toEqual(['read', false])
    answer = true
    expect(await ask()).toMatchObject({ isError: false })
    expect(await write()).toMatchObject({ isError: false })
    expect([shell.mode, existsSync(join(shell.cwd, 'file'))]).toEqual(['write', true])
    expect(asked).toEqual(Array(2).fill({ mode: 'write', from: 'read', reason: 'to make a file' }))
  })

  it('takes a stricter mode without a question', async () => {
    const shell = await open({ mode: 'workspace' })
    const set = tools(shell, { approveMode: () => Promise.reject(new Error('asked')) })
    await toolIn(set, 'set_mode').run({ mode: 'read', reason: 'to look' })
    expect(shell.mode).toBe('read')
  })
})

describe.each<[object]>([
  [{ modes: [] }],
  [{ modes: ['root'] }],
  [{ modes: ['write'] }],
  [{ approveMode: true }],
  [{ mode: 'read' }],
])('the options %j', (options) => {
  it('are refused', async () => {
    const shell = await open()
    expect(() => tools(shell, options)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }))
  })
})

describe('the tools of each framework', () => {
  it('AI SDK: generateText calls them by name, and a refusal is an error of the tool', async () => {
    const calls = [
      { toolName: 'execute_command', input: '{"command":"seq 3; touch x","scratchpad":"three"}' },
      { toolName: 'read_scratchpad', input: '{"name":"three","limit":1}' },
      { toolName: 'read_scratchpad', input: '{"name":"none"}' },
    ]
    const { model, heard } = scripted(calls)
    const shell = await open()
    await generateText({ model, tools: aiSdkTools(shell), stopWhen: stepCountIs(5), prompt: 'go' })
    expect(heard).toEqual([
      { type: 'text', value: expect.stringContaining('[blocked in read mode: create') },
      { type: 'text', value: expect.stringMatching(/^1\n\[lines 1 to 1/) },
      { type: 'error-text', value: expect.stringContaining('no saved output named "none"') },
    ])
  })

  it('AI SDK and Agents SDK: a call waits for the user where the function says so', async () => {
    const shell = await open({ mode: 'write' })
    const needsApproval = ({ input }: { readonly input: unknown }) => Object(input).mode === 'write'
    const input = { command: `touch ${join(shell.cwd, 'file')}`, mode: 'write' }
    const { model } = scripted([{ toolName: 'execute_command', input: JSON.stringify(input) }])
    const { content } = await generateText({
      ...{ model, prompt: 'go' },
      tools: aiSdkTools(shell, { needsApproval }),
    })
    expect(content.map(({ type }) => type)).toContain('tool-approval-request')
    expect(existsSync(join(shell.cwd, 'file'))).toBe(false)
    const [execute] = agentTools(shell, { needsApproval })
    expect(await execute?.needsApproval({}, input)).toBe(true)
    expect(await execute?.needsApproval({}, { command: 'ls' })).toBe(false)
  })

  it('Agents SDK: a call takes JSON, and anything else is an answer too', async () => {
    const [execute] = agentTools(await open())
    expect(await execute?.invoke({}, '{"command":"echo x"}')).toBe('x\n')
    expect(await execute?.invoke({}, '{"command":')).toMatch(/^INVALID_REQUEST: .*must be an object/)
  })

  it('Anthropic: an answer resolves, a refusal rejects with its words', async () => {
    const [execute] = anthropicTools(await open())
    expect(await execute?.run(execute.parse({ command: 'echo x' }))).toBe('x\n')
    await expect(execute?.run({ command: '' })).rejects.toThrow(/^INVALID_REQUEST: The command is empty/)
  })
})

/** A model that makes these calls one after the other, and keeps what it hears. */
function scripted(calls: readonly { readonly toolName: string; readonly input: string }[]) {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  const usage = { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const heard: unknown[] = []
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1)
      const part = last?.role === 'tool' ? last.content[0] : undefined
      if (part?.type === 'tool-result') heard.push(part.output)
      const call = calls[heard.length]
      const unified = call ? 'tool-calls' : 'stop'
      const toolCallId = `call-${heard.length}`
      return {
        content: [call ? { type: 'tool-call', toolCallId, ...call } : { type: 'text', text: 'done' }],
        ...{ finishReason: { unified, raw: unified }, usage, warnings: [] },
      }
    },
  })
  return { model, heard }
}
