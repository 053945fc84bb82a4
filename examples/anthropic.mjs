// Anthropic's SDK: its tool runner runs the bash tool in vitrine's shell.
import Anthropic from '@anthropic-ai/sdk'
import { openShell } from 'vitrine'
import { bashTool } from 'vitrine/anthropic'

// Stands in for the API: it calls the tool once, then answers.
async function fetch(_url, { body }) {
  const { messages, model } = JSON.parse(body)
  const heard = messages.at(-1).content
  const [result] = Array.isArray(heard) ? heard.filter(({ type }) => type === 'tool_result') : []
  const input = { command: 'ls *.mjs | wc -l; touch new-file' }
  const content = result
    ? [{ type: 'text', text: `The shell said: ${JSON.stringify(result.content)}` }]
    : [{ type: 'tool_use', id: 'toolu_1', name: 'bash', input }]
  const usage = { input_tokens: 1, output_tokens: 1 }
  const stop_reason = result ? 'end_turn' : 'tool_use'
  return Response.json({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model,
    content,
    stop_reason,
    usage,
  })
}

const shell = await openShell({ cwd: import.meta.dirname, mode: 'read' })
const client = new Anthropic({ apiKey: 'none', fetch })
const answer = await client.beta.messages.toolRunner({
  model: 'scripted',
  max_tokens: 1000,
  tools: [bashTool(shell)],
  messages: [{ role: 'user', content: 'How many examples are there?' }],
})
console.log(answer.content[0].text)
await shell.close()
