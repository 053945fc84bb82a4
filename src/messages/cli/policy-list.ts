import { clipped, visible } from '../../base/text.ts'
import type { Decision, PolicyMatch } from '../../base/types.ts'
import type { ListedRule, RuleList } from '../../policy/ruleset.ts'

const maxCommandLength = 200

/** The output of `vitrine policy check`: each simple command with its rule and reason, then the verdict. */
export function policyReport({ verdict, held, reason, matches }: Decision): string {
  const said = held ? `${verdict} (held in read mode)` : verdict
  const lines = [...matches.flatMap(matchLines), `${said}: ${visible(reason)}`]
  return lines.map((line) => `${line}\n`).join('')
}

function matchLines({ verdict, command, rule, source, why }: PolicyMatch): string[] {
  return [
    `${verdict.padEnd(5)}  ${clipped(command, maxCommandLength)}`,
    `       ${visible(rule)} (${visible(source)}): ${visible(why)}`,
  ]
}

const widest = 40

export function policyTable(list: RuleList): string {
  const rows = list.rules.map(rowOf)
  const width = (column: 1 | 2) => Math.min(widest, Math.max(...rows.map((row) => row[column].length)))
  const [rule, source] = [width(1), width(2)]
  const lines = rows.map(
    ([verdict, name, from, why]) =>
      `${verdict.padEnd(5)}  ${name.padEnd(rule)}  ${from.padEnd(source)}  ${why}`,
  )
  return [heading(list), ...lines].map((line) => `${line.trimEnd()}\n`).join('')
}

function rowOf({ verdict, rule, source, reason, byArguments }: ListedRule): [string, string, string, string] {
  const why = reason === '' && byArguments ? 'with certain arguments' : reason
  return [verdict, visible(rule), visible(source), visible(why)]
}

const becomes = { allow: 'allowed', ask: 'asked about', deny: 'denied' } as const

function heading({ preset, unlisted: { read, write }, autoConfirm }: RuleList): string {
  const rest =
    read === write
      ? becomes[read]
      : `${becomes[read]} in read and workspace mode and ${becomes[write]} in write mode`
  const confirm = autoConfirm ? '; auto_confirm: commands with verdict ask run' : ''
  return `preset ${preset}: a command without a rule is ${rest}${confirm}`
}
