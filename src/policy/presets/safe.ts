import { type ArgumentParts, type ArgumentRule, argumentRule, type Rule } from '../rules/rules.ts'

export const builtIn = 'built-in safe list'

/** A decision reads the tables of a few of the many rules, and reading all takes longer than a command. */
class SafeRule implements Rule {
  readonly prefix: readonly string[]
  readonly verdict = 'allow'
  readonly source = builtIn
  readonly reason = ''
  readonly #parts: ArgumentParts
  readonly #options: ArgumentParts['options']
  #arguments: ArgumentRule | undefined

  constructor(words: string, parts: ArgumentParts, options?: ArgumentParts['options']) {
    this.prefix = words.split(' ')
    this.#parts = parts
    this.#options = options
  }

  get arguments(): ArgumentRule {
    this.#arguments ??= argumentRule({ options: this.#options, ...this.#parts })
    return this.#arguments
  }
}

const noOptions = {}

/** A rule that allows a program or subcommand with certain arguments; without `options`, only operands. */
export function safe(words: string, parts: ArgumentParts = {}): Rule {
  return new SafeRule(words, parts, noOptions)
}

export function safeAll(names: string, parts: ArgumentParts = {}): Rule[] {
  return names.split(/\s+/).map((name) => safe(name, parts))
}

/** A rule that allows them; without `options` its check sees the unparsed words. */
export function safeForms(words: string, parts: ArgumentParts): Rule {
  return new SafeRule(words, parts)
}
