// The AI SDK: generateText calls the tools of the shell until the model has its answer.
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { openShell } from 'vitrine'
import { tools } from 'vitrine/ai-sdk'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

// Stands in for anthropic('...'), openai('...') or another model: it calls the tool once, then answers.
const model = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => {
    const heard = prompt.at(-1)
    if (heard.role === 'tool')
      return {
        content: [{ type: 'text', text: `The shell said: ${heard.content[0].output.value}` }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage,
        warnings: [],
      }
    return {
      content: [
        {
          type: 'tool-call',
          toolCallId: 'call-1',
          toolName: 'execute_command',
          input: JSON.stringify({ command: 'ls *.mjs | wc -l; touch new-file' }),
        },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
      usage,
      warnings: [],
    }
  },
})

const shell = await openShell({ cwd: import.meta.dirname, mode: 'read' })
const { text } = await generateText({
  model,
  tools: tools(shell),
  stopWhen: stepCountIs(3),
  prompt: 'How many examples are there?',
})
console.log(text)
await shell.close()
