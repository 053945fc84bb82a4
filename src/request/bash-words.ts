/** What `line-hint.ts` looks for, and what merely looks like it: most lines have none, and need no parser. */
const mayHold = [
  // Redirects, substitutions, here-strings, pipes
  String.raw`&>|>&\s*[^\s\d&-]|[<>]\(|<<<|\|&|;&`,
  // Conditions, arithmetic, quotes, braces, arrays
  String.raw`\[\[|\(\(|\$["']|\{[^{}]*(?:,|\.\.)[^{}]*\}|=\(|\+=|\]=`,
  String.raw`\$\{(?:!|\w+(?:\[|\/|\^|,|:\s*[\d(-]))`,
  // Built-in commands and keywords
  String.raw`\b(?:echo\s+-\w*e|pipefail|source|declare|typeset|shopt|let|mapfile|readarray|pushd|popd|dirs|disown|function|select|coproc)\b`,
  String.raw`%[\d%+-]|\bpkill\b`,
].join('|')

let pattern: RegExp | undefined

/** Whether a line is worth parsing for a hint. */
export function mayNeedHint(line: string): boolean {
  pattern ??= new RegExp(mayHold)
  return pattern.test(line)
}
