// OpenAI's Agents SDK: its shell tool runs commands in vitrine's shell.
import { Agent, Runner, shellTool } from '@openai/agents'
import { openShell } from 'vitrine'
import { openAiShell } from 'vitrine/openai-agents'

const usage = { requests: 1, inputTokens: 1, outputTokens: 1, totalTokens: 2 }

// Stands in for a model of OpenAI's: it calls the tool once, then answers.
const model = {
  async getResponse({ input }) {
    const heard = Array.isArray(input) ? input.find((item) => item.type === 'shell_call_output') : undefined
    if (heard)
      return {
        usage,
        output: [
          {
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: `The shell said: ${JSON.stringify(heard.output)}` }],
          },
        ],
      }
    const action = { commands: ['ls *.mjs | wc -l', 'touch new-file'], timeoutMs: 5000 }
    return { usage, output: [{ type: 'shell_call', callId: 'call-1', status: 'completed', action }] }
  },
  getStreamedResponse() {
    throw new Error('not streamed')
  },
}

const shell = await openShell({ cwd: import.meta.dirname, mode: 'read' })
const agent = new Agent({ name: 'Counter', model, tools: [shellTool({ shell: openAiShell(shell) })] })
const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, 'How many examples are there?')
console.log(finalOutput)
await shell.close()
