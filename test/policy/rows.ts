import { readdirSync, readFileSync } from 'node:fs'
import type { Mode } from '../../src/base/types.ts'
import type { Verdict } from '../../src/policy/rules.ts'
import type { PolicySettings } from '../../src/policy/ruleset.ts'

/** One line of the table: what a preset says about a command line in a mode. */
export interface Row {
  readonly command: string
  readonly preset: PolicySettings['preset']
  readonly mode: Mode
  /** `held`: allowed, and it runs held in read mode. */
  readonly verdict: Verdict | 'held'
  /** File and line, to find it again. */
  readonly place: string
}

const folder = new URL('table/', import.meta.url)

/**
 * The rows of `table/*.txt`. `[default write]` opens a section; `held | ls -la` is a row; `#` begins a comment; `↵` stands for a
 * newline in a command.
 */
export function readTable(): Row[] {
  return readdirSync(folder).flatMap((file) => {
    let section: { preset: PolicySettings['preset']; mode: Mode } | undefined
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n')
    return lines.flatMap((text, index): Row[] => {
      const place = `${file}:${index + 1}`
      const head = /^\[(open|default|analysis) (read|write)\]$/.exec(text)
      if (head) {
        section = { preset: head[1] as Row['preset'], mode: head[2] as Mode }
        return []
      }
      if (text === '' || text.startsWith('#')) return []
      const [, verdict, command] = /^(allow|held|ask|deny)\s*\| (.*)$/.exec(text) ?? []
      if (!section || verdict === undefined || command === undefined) throw new Error(`${place}: ${text}`)
      return [
        { ...section, verdict: verdict as Row['verdict'], command: command.replaceAll('↵', '\n'), place },
      ]
    })
  })
}

/** Ordinary commands of agents that change nothing, one a line. */
export function readCorpus(): string[] {
  const text = readFileSync(new URL('corpus.txt', import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.replaceAll('↵', '\n'))
}
