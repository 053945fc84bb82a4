import { type Decision, decideAbout, listRules, nearestKey } from '../internal.ts'
import { policyReport, policyTable } from '../messages/cli/policy-list.ts'
import { subcommandMissing, tooManyWords, unknownSubcommand } from '../messages/cli/run.ts'
import { loadConfigFor, sayIgnored } from './configuration.ts'
import { grammar } from './grammar.ts'
import { misuse, parseOptions } from './options.ts'
import { backendOf, wordsAfterDashes, workOf } from './run/options.ts'
import { standardOutput } from './run/sink.ts'

const subcommands: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = { check, list }

/** `vitrine policy`: the decision about a command, and the rules behind it. */
export async function main([name, ...args]: readonly string[]): Promise<number> {
  const names = Object.keys(subcommands)
  if (name === undefined) throw misuse(subcommandMissing('policy', names))
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (!subcommand) throw misuse(unknownSubcommand('policy', name, names, nearestKey(name, names)))
  return subcommand(args)
}

const verdictCodes: Readonly<Record<Decision['verdict'], number>> = { allow: 0, ask: 1, deny: 2 }

async function check(args: readonly string[]): Promise<number> {
  const { flags, values, words } = parseOptions(args, grammar.policy.commands.check.options)
  const command = wordsAfterDashes('policy check', args, words)
  const cwd = values.get('cwd')
  const loaded = await loadConfigFor({
    cwd,
    config: values.get('config'),
    workspace: values.get('workspace'),
    backend: backendOf(values.get('backend')),
  })
  await sayIgnored(loaded)
  const mode = flags.has('write') ? 'write' : loaded.config.shell.mode
  const decision = await decideAbout(loaded, { ...workOf(command), cwd, mode })
  await standardOutput.write(
    flags.has('json') ? `${JSON.stringify(decision, null, 2)}\n` : policyReport(decision),
  )
  return verdictCodes[decision.verdict]
}

async function list(args: readonly string[]): Promise<number> {
  const { flags, values, words } = parseOptions(args, grammar.policy.commands.list.options)
  const [word] = words
  if (word !== undefined) throw misuse(tooManyWords(word, 'policy'))
  const loaded = await loadConfigFor({
    cwd: values.get('cwd'),
    config: values.get('config'),
    workspace: undefined,
  })
  await sayIgnored(loaded)
  const rules = await listRules(loaded)
  await standardOutput.write(flags.has('json') ? `${JSON.stringify(rules, null, 2)}\n` : policyTable(rules))
  return 0
}
