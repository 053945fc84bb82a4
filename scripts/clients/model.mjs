// A model that follows a script, in four styles of API, on loopback. A request's step is the number of tool results in it,
// so that titles, retries and subagents do not disturb the count.
import { once } from 'node:events'
import { createServer } from 'node:http'

/**
 * Starts the model. `follow(scripts)` gives it a script by name: steps that are a call `{ name, args }`, a text, or a function of the results
 * so far. The last user message that says `script-NAME` chooses. It returns the list of requests to come.
 */
export async function startModel() {
  let scripts = {}
  let requests = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const style = styles.find(({ path }) => path.test(request.url))
    if (!style || request.method !== 'POST') return response.writeHead(404).end('{}')
    const asked = JSON.parse(body)
    const stream = style.streams(asked, request.url)
    const seen = place(style.messages(asked), style.tools(asked))
    requests.push({ ...seen, bytes: body.length, at: performance.now() })
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    response.end(style.answer(next(scripts, seen), stream, `${requests.length}`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const follow = (wanted) => {
    scripts = wanted
    requests = []
    return requests
  }
  return { follow, port: server.address().port, close: () => server.close().closeAllConnections() }
}

/** Where in which script a request stands. */
function place(messages, tools) {
  const named = messages.findLastIndex(({ role, text }) => role === 'user' && /script-\w+/.test(text))
  const script = /script-(\w+)/.exec(messages[named]?.text ?? '')?.[1]
  const results = messages.slice(named + 1).filter(({ role }) => role === 'result')
  return { script, tools, step: results.length, results: results.map(({ text }) => text) }
}

function next(scripts, { script, step, tools, results }) {
  const steps = tools.length > 0 ? scripts[script] : undefined
  const wanted = steps?.[step]
  return (typeof wanted === 'function' ? wanted(results) : wanted) ?? 'done'
}

const textOf = (content) =>
  typeof content === 'string'
    ? content
    : (content ?? []).map((part) => part.text ?? part.output ?? '').join('')
const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }

const anthropic = {
  path: /\/messages(\?|$)/,
  streams: ({ stream }) => stream === true,
  tools: ({ tools = [] }) => tools.map(({ name }) => name),
  messages: ({ messages }) =>
    messages.flatMap(({ role, content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((part) =>
        part.type === 'tool_result'
          ? { role: 'result', text: textOf(part.content) }
          : { role, text: part.text ?? '' },
      ),
    ),
  answer(wanted, stream, id) {
    const call = typeof wanted !== 'string'
    const block = call
      ? { type: 'tool_use', id: `toolu_${id}`, name: wanted.name, input: wanted.args }
      : { type: 'text', text: wanted }
    const stop_reason = call ? 'tool_use' : 'end_turn'
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model: 'fake', stop_reason, usage }
    if (!stream) return JSON.stringify({ ...message, content: [block] })
    const delta = call
      ? { type: 'input_json_delta', partial_json: JSON.stringify(wanted.args) }
      : { type: 'text_delta', text: wanted }
    return [
      { type: 'message_start', message: { ...message, stop_reason: null, content: [] } },
      {
        type: 'content_block_start',
        index: 0,
        content_block: { ...block, ...(call ? { input: {} } : { text: '' }) },
      },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage },
      { type: 'message_stop' },
    ]
      .map((data) => event(data, data.type))
      .join('')
  },
}

const chat = {
  path: /\/chat\/completions/,
  streams: ({ stream }) => stream === true,
  tools: ({ tools = [] }) => tools.map((tool) => tool.function.name),
  messages: ({ messages }) =>
    messages.map(({ role, content }) => ({ role: role === 'tool' ? 'result' : role, text: textOf(content) })),
  answer(wanted, stream, id) {
    const call = typeof wanted !== 'string'
    const tool_calls = call && [
      {
        index: 0,
        id: `call_${id}`,
        type: 'function',
        function: { name: wanted.name, arguments: JSON.stringify(wanted.args) },
      },
    ]
    const message = { role: 'assistant', content: call ? null : wanted, ...(call && { tool_calls }) }
    const finish_reason = call ? 'tool_calls' : 'stop'
    const counted = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const whole = { id: `c-${id}`, created: 1, model: 'fake-model', usage: counted }
    if (!stream)
      return JSON.stringify({
        ...whole,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
      })
    const chunk = (delta, reason = null) =>
      event({
        ...whole,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
      })
    return `${chunk(message)}${chunk({}, finish_reason)}data: [DONE]\n\n`
  },
}

const responses = {
  path: /\/responses(\?|$)/,
  streams: ({ stream }) => stream === true,
  // Code Mode declares its tools by an item of the input.
  tools: ({ tools = [], input = [] }) =>
    [...tools, ...input.flatMap((item) => item.tools ?? [])].map(({ name, type }) => name ?? type),
  messages: ({ input }) =>
    (typeof input === 'string' ? [{ role: 'user', content: input }] : input).map((item) =>
      /_call_output$/.test(item.type)
        ? { role: 'result', text: textOf(item.output) }
        : { role: item.role ?? 'other', text: textOf(item.content) },
    ),
  answer(wanted, stream, id) {
    const item = responseItem(wanted, id)
    const response = { id: `resp_${id}`, object: 'response', model: 'fake', status: 'completed', usage }
    if (!stream) return JSON.stringify({ ...response, output: [item] })
    return [
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: { ...response, output: [item] } },
    ]
      .map((data) => event(data, data.type))
      .join('')
  },
}

function responseItem(wanted, id) {
  if (typeof wanted === 'string') {
    const content = [{ type: 'output_text', text: wanted, annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  const { name, args, input, namespace } = wanted
  const common = {
    id: `item_${id}`,
    call_id: `call_${id}`,
    name,
    status: 'completed',
    ...(namespace && { namespace }),
  }
  if (input !== undefined) return { type: 'custom_tool_call', ...common, input }
  return { type: 'function_call', ...common, arguments: JSON.stringify(args) }
}

const gemini = {
  path: /:(stream)?[gG]enerateContent/,
  streams: (_, url) => url.includes('stream'),
  tools: ({ tools = [] }) =>
    tools.flatMap((tool) => (tool.functionDeclarations ?? []).map(({ name }) => name)),
  messages: ({ contents }) =>
    contents.flatMap(({ role, parts }) =>
      parts.map((part) =>
        part.functionResponse
          ? { role: 'result', text: JSON.stringify(part.functionResponse.response) }
          : { role, text: part.text ?? '' },
      ),
    ),
  answer(wanted, stream) {
    const part =
      typeof wanted === 'string'
        ? { text: wanted }
        : { functionCall: { name: wanted.name, args: wanted.args } }
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 }
    const content = { role: 'model', parts: [part] }
    const body = { candidates: [{ content, finishReason: 'STOP', index: 0 }], usageMetadata }
    return stream ? event(body) : JSON.stringify(body)
  },
}

const styles = [anthropic, chat, responses, gemini]
