/**
 * Inserts or replaces the table `[parent.name]` in a TOML text and keeps every other byte. TOML has other
 * ways to write a table, so the caller must parse the result and check its meaning.
 */
export function withTable(
  text: string,
  parent: string,
  name: string,
  entry: Readonly<Record<string, unknown>>,
): string {
  const table = tableText(parent, name, entry)
  const old = tableSpan(text, parent, name)
  if (old) return text.slice(0, old.start) + table + text.slice(old.end)
  if (text.trim() === '') return table
  return `${text}${text.endsWith('\n') ? '' : '\n'}\n${table}`
}

export function tableText(parent: string, name: string, entry: Readonly<Record<string, unknown>>): string {
  // JSON strings, numbers and lists of strings are valid TOML.
  const lines = Object.entries(entry).map(([key, value]) => `${key} = ${listText(value)}`)
  return `[${parent}.${name}]\n${lines.join('\n')}\n`
}

function listText(value: unknown): string {
  return Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(', ')}]`
    : JSON.stringify(value)
}

/**
 * From the table's header to the next header, without trailing blank and comment lines: those belong to what
 * follows.
 */
function tableSpan(text: string, parent: string, name: string): { start: number; end: number } | undefined {
  const head = new RegExp(
    `^[ \\t]*\\[[ \\t]*${parent}[ \\t]*\\.[ \\t]*"?${name}"?[ \\t]*\\][^\\n]*(?:\\n|$)`,
    'm',
  )
  const match = head.exec(text)
  if (!match) return undefined
  const bodyStart = match.index + match[0].length
  const next = text.slice(bodyStart).search(/^[ \t]*\[/m)
  const body = next === -1 ? text.slice(bodyStart) : text.slice(bodyStart, bodyStart + next)
  const kept = next === -1 ? 0 : lengthOfTrailing(body)
  return { start: match.index, end: bodyStart + body.length - kept }
}

/** Length of the blank and comment lines at the end. */
function lengthOfTrailing(body: string): number {
  const lines = body.split(/(?<=\n)/)
  let length = 0
  for (let line = lines.pop(); line !== undefined && /^[ \t]*(#.*)?\n?$/.test(line); line = lines.pop())
    length += line.length
  return length
}
