import type { ApprovalInput, ApprovalRequest } from '../admit/approver.ts'
import { visible, whollyVisible } from '../base/text.ts'
import type { Decision } from '../base/types.ts'

type Asked = Omit<ApprovalRequest, 'signal' | 'once'>

/** A longer command does not fit the scrollback of most terminals. */
const maxRows = 1000
const usualColumns = 80
const fewestColumns = 24
/** With more rows than this the beginning may have scrolled off the screen. */
const manyRows = 15

/** Resets colours, concealment and character sets that earlier output may have left on: ECMA-48 SGR, ISO 2022. */
const plain = '\u001b[0m\u001b(B\u000f'

/**
 * The question at the terminal: what would run, where, and why vitrine asks. Each row of foreign text begins with a margin,
 * so that it cannot imitate a row of vitrine's. Undefined if that is too long to show whole.
 */
export function approvalQuestion(request: Asked, decision: Decision, columns: number): string | undefined {
  const width = Math.max(fewestColumns, columns || usualColumns) - 1
  const command = request.command.split('\n').flatMap((line) => rows('  | ', '  : ', line, width))
  const [first, ...others] = reasonsOf(decision)
  const reasons = [
    ...rows('  asked because: ', '   : ', first, width),
    ...others.flatMap((reason) => rows('  and because: ', '   : ', reason, width)),
  ]
  if (command.length + reasons.length > maxRows) return undefined
  return [
    `${plain}\nvitrine: ${approvalHeading(request)}`,
    ...command,
    ...(command.length + reasons.length > manyRows
      ? [`  (${command.length} rows: scroll up to read all of them)`]
      : []),
    ...rows('  in ', '   : ', request.cwd, width),
    ...usedOf(decision).flatMap((text) => rows('  its session has: ', '   : ', text, width)),
    ...(request.change === undefined && !request.connect ? inputRows(request.stdin, width) : []),
    ...reasons,
    '',
  ].join('\n')
}

/** Why a line is asked about: the decision's own reason, then those of its other questions. */
export function reasonsOf({ reason, matches }: Decision): [string, ...string[]] {
  // Admission may have added to it which project file it follows from.
  const isFirst = (why: string) => why === reason || reason.startsWith(`${why} (`)
  const whys = matches.filter(({ verdict }) => verdict === 'ask').map(({ why }) => why)
  return [reason, ...new Set(whys.filter((why) => !isFirst(why)))]
}

/** What the line uses of its session: without it a user cannot tell what runs. */
export function usedOf({ matches }: Decision): readonly string[] {
  return matches.filter(({ rule }) => rule === sessionRule).map(({ why }) => why)
}

/** The rule of a row that says what a line uses of its session. */
export const sessionRule = "its session's"

/** What a yes allows: the command, or a change or a connection by a command that runs. */
export function approvalHeading({
  mode,
  change,
  connect,
}: Pick<Asked, 'mode' | 'change' | 'connect'>): string {
  if (connect) return `let this running command connect to ${visible(connect.host)}, port ${connect.port}?`
  return change === undefined
    ? `run this in ${mode} mode?`
    : 'let this running command change what is protected?'
}

const maxInputRows = 20

function inputRows(stdin: ApprovalInput, width: number): string[] {
  if (stdin.kind === 'none') return []
  if (stdin.kind === 'unknown')
    return rows('  ', '   : ', 'its standard input is unknown until it runs, so [s] applies once', width)
  const shown = stdin.beginning.split('\n').flatMap((line) => rows('  < ', '  : ', line, width))
  const isWhole = stdin.complete && shown.length <= maxInputRows
  const head = isWhole
    ? 'with this standard input:'
    : `with ${stdin.bytes} bytes of standard input, beginning with:`
  return [`  ${head}`, ...shown.slice(0, maxInputRows)]
}

type Kind = Pick<ApprovalRequest, 'once' | 'connect'>

/** Shown once keys are accepted as an answer. */
export function approvalChoices({ once, connect }: Kind): string {
  if (connect) return '[y]es, this command  [s] all commands of this session  [n]ever in this session: '
  return once ? '[y]es  [n]o: ' : '[y]es  [n]o  [a]ll this session  [s] this command this session: '
}

/** After keys that are not an answer. */
export function approvalReminder(kind: Kind): string {
  return `\nPlease press one key: ${approvalChoices(kind)}`
}

/** Closes a question that ended before its answer: by its time limit, the caller's signal or the end of the command. */
export const approvalLate = 'no (the question is over)\n'

/** A command that cannot be read cannot be approved. */
export function approvalTooLong({ command }: Asked): string {
  return `${plain}\nvitrine: a command of ${command.length} characters is too long to show whole, so it is not approved.\n`
}

/** Wraps a text to a width, behind a margin. */
function rows(first: string, next: string, text: string, width: number): string[] {
  const done: string[] = []
  let row = first
  let used = first.length
  for (const character of whollyVisible(text)) {
    // Every character outside ASCII counts as two columns, so that the terminal never wraps a row itself.
    const wide = character <= '~' ? 1 : 2
    if (used + wide > width) {
      done.push(row)
      row = next
      used = next.length
    }
    row += character
    used += wide
  }
  return [...done, row]
}
