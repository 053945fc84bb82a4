import { argumentRule, type Rule } from '../rules/rules.ts'

type Parts = Parameters<typeof argumentRule>[0]

export const builtIn = 'built-in safe list'

/** A rule that allows a program or subcommand with certain arguments; without `options`, only operands. */
export function safe(words: string, parts: Parts = {}): Rule {
  return safeForms(words, { options: {}, ...parts })
}

export function safeAll(names: string, parts: Parts = {}): Rule[] {
  return names.split(/\s+/).map((name) => safe(name, parts))
}

/** A rule that allows them; without `options` its check sees the unparsed words. */
export function safeForms(words: string, parts: Parts): Rule {
  const about = argumentRule(parts)
  return { prefix: words.split(' '), verdict: 'allow', source: builtIn, reason: '', arguments: about }
}
