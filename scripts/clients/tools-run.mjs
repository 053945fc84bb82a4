// One framework runs the tools of a shell for a scripted model, and prints what the model hears. usage: tools-run.mjs FRAMEWORK
import { openShell } from 'vitrine'

const calls = [
  ['execute_command', { command: 'seq 3; touch new-file', scratchpad: 'three' }],
  ['read_scratchpad', { name: 'three', offset: 2, limit: 1 }],
  ['execute_command', { command: '' }],
]
const heard = []

const frameworks = {
  async 'ai-sdk'(shell) {
    const { generateText, stepCountIs } = await import('ai')
    const { MockLanguageModelV3 } = await import('ai/test')
    const { tools } = await import('vitrine/ai-sdk')
    const tokens = { total: 1 }
    const doGenerate = async ({ prompt }) => {
      if (prompt.at(-1).role === 'tool') heard.push(prompt.at(-1).content[0].output.value)
      const [toolName, input] = calls[heard.length] ?? []
      const call = { type: 'tool-call', toolCallId: 'c', toolName, input: JSON.stringify(input) }
      const unified = toolName ? 'tool-calls' : 'stop'
      return {
        content: [toolName ? call : { type: 'text', text: 'done' }],
        finishReason: { unified, raw: unified },
        usage: { inputTokens: tokens, outputTokens: tokens },
        warnings: [],
      }
    }
    const model = new MockLanguageModelV3({ doGenerate })
    await generateText({ model, tools: tools(shell), stopWhen: stepCountIs(5), prompt: 'go' })
  },

  async 'openai-agents'(shell) {
    const { Agent, Runner } = await import('@openai/agents')
    const { tools } = await import('vitrine/openai-agents')
    const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }
    const getResponse = async ({ input }) => {
      const answers = [input].flat().filter(({ type }) => type === 'function_call_result')
      heard.splice(0, heard.length, ...answers.map(({ output }) => output.text))
      const [name, given] = calls[heard.length] ?? []
      const callId = `c${heard.length}`
      const call = {
        type: 'function_call',
        callId,
        name,
        status: 'completed',
        arguments: JSON.stringify(given),
      }
      const content = [{ type: 'output_text', text: 'done' }]
      const message = { type: 'message', role: 'assistant', status: 'completed', content }
      return { usage, output: [name ? call : message] }
    }
    const agent = new Agent({ name: 'x', model: { getResponse }, tools: tools(shell) })
    await new Runner({ tracingDisabled: true }).run(agent, 'go')
  },

  async anthropic(shell) {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const { tools } = await import('vitrine/anthropic')
    const fetch = async (_url, { body }) => {
      const { messages, model } = JSON.parse(body)
      const [result] = [messages.at(-1).content].flat().filter(({ type }) => type === 'tool_result')
      if (result)
        heard.push(
          `${result.is_error ? 'is_error ' : ''}${[result.content].flat().map((part) => part.text ?? part)}`,
        )
      const [name, input] = calls[heard.length] ?? []
      const call = { type: 'tool_use', id: `toolu_${heard.length}`, name, input }
      return Response.json({
        ...{
          id: 'msg',
          type: 'message',
          role: 'assistant',
          model,
          stop_reason: name ? 'tool_use' : 'end_turn',
        },
        content: [name ? call : { type: 'text', text: 'done' }],
        usage: { input_tokens: 1, output_tokens: 1 },
      })
    }
    const client = new Anthropic({ apiKey: 'none', fetch })
    const messages = [{ role: 'user', content: 'go' }]
    await client.beta.messages.toolRunner({ model: 'x', max_tokens: 9, tools: tools(shell), messages })
  },
}

const shell = await openShell({ cwd: import.meta.dirname, mode: 'read' })
await frameworks[process.argv[2]](shell)
await shell.close()
console.log(JSON.stringify(heard))
