import type { CompleteRequest } from '../../request/request.ts'
import { knownValue, lineOfArgv } from '../syntax/line.ts'
import { parseLine } from '../syntax/parse.ts'
import { expand } from './expand.ts'
import { nameOf } from './program.ts'

/** Subcommands and options of the Docker client that contact no engine. */
const withoutEngine = new Set(['--help', '--version', '-h', '-v', 'completion', 'context', 'help'])

/** True if a command, directly or through a wrapper, calls Docker with a subcommand that needs an engine. */
export function callsDocker(work: CompleteRequest['work']): boolean {
  const line = work.kind === 'line' ? parseLine(work.line) : lineOfArgv(work.argv)
  return expand(line).steps.some(({ command: { words } }) => {
    const [program, first] = [knownValue(words[0]), knownValue(words[1])]
    if (program === undefined || !/^docker(-compose)?$/.test(nameOf(program))) return false
    return words.length > 1 && !withoutEngine.has(first ?? '')
  })
}
