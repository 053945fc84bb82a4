import { clipped, visible } from '../base/text.ts'
import { type Decision, decideAbout, listRules, type PolicyMatch, type RuleList } from '../internal.ts'
import { type Options, runSubcommand } from './arguments.ts'
import { loadConfigFor, modeOf, sayIgnored } from './configuration.ts'
import { print } from './output.ts'
import { wordsAfterDashes, workOf } from './run/request.ts'

export function main(args: readonly string[]): Promise<number> {
  return runSubcommand('policy', { check, list }, args)
}

const verdictCodes: Readonly<Record<Decision['verdict'], number>> = { allow: 0, ask: 1, deny: 2 }

async function check(options: Options, args: readonly string[]): Promise<number> {
  const { flags, values, words } = options
  const command = wordsAfterDashes('policy check', args, words)
  const cwd = values.get('cwd')
  const loaded = await loadConfigFor(options)
  await sayIgnored(loaded)
  const mode = modeOf({ flags, values }) ?? loaded.config.shell.mode
  const decision = await decideAbout(loaded, { ...workOf(command), cwd, mode })
  const text = flags.has('json') ? `${JSON.stringify(decision, null, 2)}\n` : policyReport(decision)
  return print(text, verdictCodes[decision.verdict])
}

async function list(options: Options): Promise<number> {
  const loaded = await loadConfigFor(options)
  await sayIgnored(loaded)
  const rules = await listRules(loaded)
  return print(options.flags.has('json') ? `${JSON.stringify(rules, null, 2)}\n` : policyTable(rules))
}

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

function policyTable(list: RuleList): string {
  const lines = list.rules.map(({ verdict, rule, source, reason, byArguments }) => {
    const why = reason === '' && byArguments ? 'with certain arguments' : reason
    return `${verdict.padEnd(5)}  ${visible(rule).padEnd(24)}  ${visible(source).padEnd(20)}  ${visible(why)}`
  })
  return [heading(list), ...lines].map((line) => `${line.trimEnd()}\n`).join('')
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
