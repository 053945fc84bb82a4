/** How the parts of a pattern read as a regular expression. A name may begin with a dot. */
const parts: Readonly<Record<string, string>> = {
  '**/': '(?:[^/]+/)*',
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
}

/**
 * Whether a path matches: `**` any directories, `*` and `?` within a name, `[a-z]`, `[!a-z]`, `{a,b}`; a backslash takes the character
 * behind it as it is.
 */
export function globMatcher(pattern: string): (path: string) => boolean {
  let depth = 0
  const source = pattern
    .replace(/^\.\//, '')
    .replace(/\\(.)|\*\*\/|\*\*|[*?{},]|\[[!^]?\]?[^\]/]*\]|[^\w/]/gsu, (part, escaped) => {
      if (escaped !== undefined) return literal(escaped)
      if (part.startsWith('[') && part.length > 1)
        return `[${part
          .slice(1, -1)
          .replace(/^!/, '^')
          .replace(/[\\[\]]/g, '\\$&')}]`
      if (part === '{') depth += 1
      if (part === '{') return '(?:'
      if (part === '}' && depth > 0) depth -= 1
      else if (part === '}') return literal(part)
      if (part === '}') return ')'
      if (part === ',' && depth > 0) return '|'
      return parts[part] ?? literal(part)
    })
  const expression = new RegExp(`^${source}${')'.repeat(depth)}$`, 'su')
  return (path) => expression.test(path)
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
