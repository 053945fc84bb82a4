import { type Decision, decideAbout, listRules } from '../internal.ts'
import { policyReport, policyTable } from '../messages/cli/policy-list.ts'
import { loadConfigFor, modeOf, sayIgnored } from './configuration.ts'
import type { Options } from './options.ts'
import { wordsAfterDashes, workOf } from './run/options.ts'
import { print } from './run/sink.ts'
import { runSubcommand } from './subcommand.ts'

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
