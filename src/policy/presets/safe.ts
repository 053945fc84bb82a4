import { argumentRule, type Rule } from '../rules/rules.ts'

type Parts = Parameters<typeof argumentRule>[0]

/** The source of what comes with vitrine. */
export const builtIn = 'built-in safe list'

/** A rule that allows a program, or a subcommand, with certain arguments. No options named: only operands. */
export function safe(words: string, parts: Parts = {}): Rule {
  return {
    prefix: words.split(' '),
    verdict: 'allow',
    source: builtIn,
    reason: '',
    arguments: argumentRule({ options: {}, ...parts }),
  }
}

/** The same for programs that are used alike. */
export function safeAll(names: string, parts: Parts = {}): Rule[] {
  return names.split(/\s+/).map((name) => safe(name, parts))
}

/** A rule whose check sees the words as they are, options and all. */
export function safeForms(words: string, parts: Omit<Parts, 'options'>): Rule {
  return {
    prefix: words.split(' '),
    verdict: 'allow',
    source: builtIn,
    reason: '',
    arguments: argumentRule(parts),
  }
}
