import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { shellTool } from '../../src/adapters/ai-sdk.ts'
import { bashTool } from '../../src/adapters/anthropic.ts'
import { openAiShell } from '../../src/adapters/openai-agents.ts'
import { runTool, type ToolInput, toolDefinition } from '../../src/adapters/tool.ts'
import { refusedOfSeveral } from '../../src/messages/result.ts'
import { openTestShell } from '../helpers/place.ts'
import { connect } from '../mcp/connect.ts'

describe('toolDefinition', () => {
  it('is what the MCP server lists, but for sessions and the tool that reads saved output', async () => {
    const shell = await openTestShell()
    const { name, description, inputSchema } = toolDefinition(shell)
    const { tools } = await (await connect()).client.listTools()
    const listed = tools[0]?.inputSchema
    const { session: _, ...properties } = listed?.properties ?? {}
    expect({ name, inputSchema }).toEqual({ name: tools[0]?.name, inputSchema: { ...listed, properties } })
    expect(description).not.toContain('read_scratchpad')
    const own = description.split('\n').filter((line) => !tools[0]?.description?.includes(line))
    expect(own).toEqual([expect.stringContaining('do not carry over'), expect.stringContaining('is saved')])
  })

  it('runTool answers with the text and the whole result, and throws when nothing ran', async () => {
    const shell = await openTestShell()
    const { text, result } = await runTool(shell, { command: 'echo x; exit 3' })
    expect(text).toBe('x\n[exit code: 3]')
    expect(result.exitCode).toBe(3)
    await expect(runTool(shell, { command: '' })).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
  })

  it('runTool runs next in order, to the first failure, or with ignore_errors to the end', async () => {
    const shell = await openTestShell()
    const next = ['exit 3', 'echo last']
    const stopped = await runTool(shell, { command: 'echo first', next })
    expect(stopped.results.map(({ exitCode }) => exitCode)).toEqual([0, 3])
    expect(stopped.result).toBe(stopped.results[1])
    expect(stopped.text).toMatch(/first\n.*\[exit code: 3\].*echo last/s)
    const all = await runTool(shell, { command: 'echo first', next, ignore_errors: true, cwd: '/' })
    expect(all.results.map(({ output }) => output)).toEqual(['first\n', '', 'last\n'])
    await expect(runTool(shell, { command: 'true', ignore_errors: true })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.not.stringContaining('Nothing ran. The command did not run.'),
    })
  })

  it('answers of runTool name no other tool: of a refusal, and of output that is cut', async () => {
    const shell = await openTestShell({ toml: '[output]\ninline_max_chars = 1000\n' })
    const { text, result } = await runTool(shell, { command: 'seq 5000; touch x' })
    expect(result.denials.length).toBeGreaterThan(0)
    expect(result.scratchpad).toBeDefined()
    expect(text).toContain(result.scratchpad?.path)
    for (const command of ['touch x', 'cd /; echo x > y', 'git init z'])
      expect((await runTool(shell, { command })).text).not.toMatch(/execute_command|_scratchpad|--mode/)
    expect(text).not.toMatch(/execute_command|_scratchpad|--mode/)
  })

  it.for([{ command: 'true', next: [] }, { command: 'true', timeoutMs: 5 }, null])(
    'runTool refuses what its definition does not list: %j',
    async (input) => {
      const running = runTool(await openTestShell(), input as ToolInput)
      await expect(running).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    },
  )
})

/** A model that makes one call and repeats what it heard. */
function scripted(input: object) {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  const usage = { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  const heard: unknown[] = []
  const call = { type: 'tool-call', toolCallId: 'c', toolName: 'sh', input: JSON.stringify(input) } as const
  const model = new MockLanguageModelV3({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1)
      const part = last?.role === 'tool' ? last.content[0] : undefined
      if (part?.type === 'tool-result') heard.push(part.output)
      const unified = part ? 'stop' : 'tool-calls'
      const content = part ? ({ type: 'text', text: 'done' } as const) : call
      return { content: [content], finishReason: { unified, raw: unified }, usage, warnings: [] }
    },
  })
  return { model, heard }
}

describe('the AI SDK', () => {
  it('generateText runs the command, and the model hears the text', async () => {
    const shell = await openTestShell()
    const { model, heard } = scripted({ command: 'echo x > file; exit 3', cwd: shell.cwd })
    const sh = shellTool(shell)
    const { text, steps } = await generateText({
      model,
      tools: { sh },
      stopWhen: stepCountIs(3),
      prompt: 'go',
    })
    expect(text).toBe('done')
    expect(existsSync(join(shell.cwd, 'file'))).toBe(false)
    expect(heard).toEqual([{ type: 'text', value: expect.stringContaining('[exit code: 3]') }])
    expect(steps[0]?.toolResults[0]?.output).toMatchObject({ result: { exitCode: 3 } })
  })

  it('a call that needs approval does not run without it', async () => {
    const shell = await openTestShell({ mode: 'write' })
    const { model } = scripted({ command: `touch ${shell.cwd}/file` })
    const sh = shellTool(shell, { needsApproval: true })
    const { content } = await generateText({ model, tools: { sh }, prompt: 'go' })
    expect(content.map(({ type }) => type)).toContain('tool-approval-request')
    expect(existsSync(join(shell.cwd, 'file'))).toBe(false)
  })
})

describe('OpenAI’s shell', () => {
  it('passes on what was refused, and what to do about it', async () => {
    const shell = await openTestShell()
    const { output } = await openAiShell(shell).run({
      commands: ['echo x > made', 'echo seen; echo own >&2'],
    })
    const [refused, seen] = output
    expect(refused?.stderr).toContain(`[blocked in read mode: create ${join(shell.cwd, 'made')}]`)
    expect(refused?.stderr).toMatch(/^\[If this is intended, tell the user.*\]$/m)
    expect(seen).toMatchObject({ stdout: 'seen\n', stderr: 'own\n' })
  })

  it('answers each command with its streams apart and its outcome', async () => {
    const shell = openAiShell(await openTestShell())
    const commands = ['echo out; echo err >&2; exit 3', 'kill -KILL $$', 'sleep 30', 'echo never']
    expect(await shell.run({ commands, timeoutMs: 300, maxOutputLength: 99 })).toEqual({
      output: [
        { stdout: 'out\n', stderr: 'err\n', outcome: { type: 'exit', exitCode: 3 } },
        { stdout: '', stderr: '', outcome: { type: 'exit', exitCode: 137 } },
        { stdout: '', stderr: '', outcome: { type: 'timeout' } },
      ],
      maxOutputLength: 99,
    })
  })

  it('a command that is denied has an answer of its own, after those of the ones that ran', async () => {
    const shell = await openTestShell({ mode: 'write', toml: '[policy]\ndeny = ["shred"]\n' })
    const commands = ['echo kept > one', 'cat one', 'shred one', 'echo x > two']
    const { output } = await openAiShell(shell).run({ commands })
    expect(output.map(({ outcome }) => outcome)).toEqual([
      { type: 'exit', exitCode: 0 },
      { type: 'exit', exitCode: 0 },
      { type: 'exit', exitCode: 125 },
    ])
    const denied = await shell.execute({ command: 'shred one' }).catch(({ message }) => message)
    expect(output[2]?.stderr).toBe(`${refusedOfSeveral(denied, 1)}\n`)
    expect(readFileSync(join(shell.cwd, 'one'), 'utf8')).toBe('kept\n')
    expect(existsSync(join(shell.cwd, 'two'))).toBe(false)
  })
})

describe('Anthropic’s bash tool', () => {
  it('is declared as the API knows it, and runs what it is given', async () => {
    const tool = bashTool(await openTestShell())
    expect(tool).toMatchObject({ type: 'bash_20250124', name: 'bash' })
    expect(await tool.run(tool.parse({ command: 'echo x; exit 3' }))).toBe('x\n[exit code: 3]')
    expect(await tool.run(tool.parse({ restart: true }))).toContain('every command starts in a new shell')
  })

  it.each([undefined, null, 5, {}, { command: 5 }])('%j is refused with what to give', async (input) => {
    const tool = bashTool(await openTestShell())
    await expect(tool.run(tool.parse(input))).rejects.toMatchObject({
      refusal: { problem: { kind: 'blank-command' } },
    })
  })

  it.each(['python3 -c "import tempfile; tempfile.mkstemp()"', 'touch ./x'])(
    'its answer names no parameter that it does not have: %s',
    async (command) => {
      const answer = await bashTool(await openTestShell({ mode: 'read' })).run({ command })
      expect(answer).toMatch(/blocked in read mode|private_tmp/)
      expect(answer).not.toMatch(/call with|private_tmp: true|timeout_ms|scratchpad/)
    },
  )
})
