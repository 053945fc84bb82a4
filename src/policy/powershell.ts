import { win32 } from 'node:path'
import { type Feature, literalWord, type ParsedLine, type SimpleCommand, type Word } from './line.ts'
import type { Objection } from './program.ts'
import { builtIn, indexRules } from './safe-list.ts'

/** Cmdlets that read. Only these, with literal arguments, and pipes of them are understood. */
const cmdlets: Readonly<Record<string, { readonly switches?: string; readonly values?: string }>> = {
  'Get-ChildItem': {
    switches: '-Recurse -Force -Name -File -Directory -Hidden',
    values: '-Path -LiteralPath -Filter -Include -Exclude -Depth',
  },
  'Get-Content': {
    switches: '-Raw',
    values: '-Path -LiteralPath -TotalCount -Head -First -Tail -Last -Encoding',
  },
  'Get-Date': { values: '-Format -UFormat' },
  'Get-FileHash': { values: '-Path -LiteralPath -Algorithm' },
  'Get-Item': { switches: '-Force', values: '-Path -LiteralPath' },
  'Get-Location': {},
  'Measure-Object': { switches: '-Line -Word -Character', values: '-Property' },
  'Resolve-Path': { switches: '-Relative', values: '-Path -LiteralPath' },
  'Select-Object': { switches: '-Unique', values: '-First -Last -Skip -Property -ExpandProperty' },
  'Select-String': {
    switches: '-SimpleMatch -CaseSensitive -Quiet -List -NotMatch -AllMatches',
    values: '-Pattern -Path -LiteralPath -Include -Exclude -Context',
  },
  'Sort-Object': { switches: '-Descending -Unique', values: '-Property' },
  'Split-Path': { switches: '-Leaf -Parent', values: '-Path' },
  'Test-Path': { values: '-Path -LiteralPath -PathType' },
  'Write-Output': {},
}
/** Aliases of PowerShell 5.1 and 7 on Windows; they precede programs in PATH. */
const aliases: Readonly<Record<string, string>> = {
  cat: 'Get-Content',
  dir: 'Get-ChildItem',
  echo: 'Write-Output',
  gc: 'Get-Content',
  gci: 'Get-ChildItem',
  ls: 'Get-ChildItem',
  measure: 'Measure-Object',
  pwd: 'Get-Location',
  select: 'Select-Object',
  sls: 'Select-String',
  sort: 'Sort-Object',
  type: 'Get-Content',
}
const names = new Map(
  [...Object.keys(cmdlets).map((name) => [name, name] as const), ...Object.entries(aliases)].map(
    ([given, name]) => [given.toLowerCase(), name],
  ),
)

export const powershellRules = indexRules(
  Object.entries(cmdlets).map(([name, { switches = '', values = '' }]) => {
    const [flags, valued] = [switches, values].map((text) => new Set(text.toLowerCase().split(' ')))
    const check = (given: readonly Word[]) => checkCmdlet(given, flags, valued)
    return { prefix: [name], verdict: 'allow' as const, source: builtIn, reason: '', check }
  }),
)

function checkCmdlet(
  words: readonly Word[],
  flags: ReadonlySet<string> = new Set(),
  valued: ReadonlySet<string> = new Set(),
): Objection | undefined {
  for (let at = 0; at < words.length; at++) {
    const text = words[at]?.value.toLowerCase() ?? ''
    if (!text.startsWith('-') || flags.has(text)) continue
    // PowerShell would read a switch in place of a value as a parameter.
    if (!valued.has(text) || words[++at]?.value.startsWith('-') !== false) return { kind: 'option', text }
  }
  const away = words.find(({ value }) => leadsAway(value))
  return away && { kind: 'operand', text: away.text }
}

/** Windows ignores blanks behind such a name, also before an extension. */
const DEVICE = /^(?:con|conin\$|conout\$|prn|aux|nul|com\d|lpt\d) *(?:$|[.:])/i

/** True for a network share, which would learn who asks, a device, or a drive that is no disk. */
function leadsAway(value: string): boolean {
  if (/[\\/]{2}/.test(value) || value.replace(/^[A-Za-z]:(?!:)/, '').includes(':')) return true
  return value.split(/[\\/]/).some((part) => DEVICE.test(part.trim()))
}

/** What other users, keys and the system itself keep there; 8.3 names and wildcards may stand for it. */
const systemDirectory = /^(?:windows|programdata|recovery|boot|system volume information|\$.*|.*[~*?[].*)$/i

/**
 * The system path that a word of a cmdlet names, or `unknown`: the directory of another drive or of the home directory. By its
 * letters alone: no path of Windows is looked up.
 */
export function windowsSystemPath(
  { words: [cmdlet] }: SimpleCommand,
  text: string,
  cwd: string,
): string | undefined {
  if (cmdlets[cmdlet?.value ?? '']?.values?.includes('-Path') !== true || text.startsWith('-'))
    return undefined
  if (text.startsWith('~') || /^[A-Za-z]:(?![\\/])/.test(text)) return 'unknown'
  const isRelative = !/^(?:[A-Za-z]:|[\\/])/.test(text)
  if (isRelative && !/(?:^|[\\/])\.\. *(?:$|[\\/])/.test(text)) return undefined
  const path = win32.resolve(cwd, text)
  const [top = ''] = path.slice(win32.parse(path).root.length).split('\\')
  // Windows ignores dots and blanks at the end of a name.
  return systemDirectory.test(top.replace(/[. ]+$/, '')) ? path : undefined
}

/** By the alias that was typed in place of a cmdlet's name. */
export function asTyped(command: SimpleCommand): SimpleCommand {
  const [typed = ''] = command.text.split(' ', 1)
  return { ...command, words: [literalWord(typed), ...command.words.slice(1)] }
}

// ASCII only: PowerShell accepts other dashes, quotes and blanks too. No commas, which build lists.
const TOKEN = /^(?:'([ -&(-~]*)'|"([ !#%-_a-~]*)"|([\w.\\/:*?+=-]+)|(\|))(?: +|$)/

/** Parses a PowerShell line if it is unambiguous; otherwise `undefined`. */
export function parsePowershell(line: string): ParsedLine | undefined {
  const commands: SimpleCommand[] = []
  for (const part of partsOf(line) ?? [[]]) {
    const [head = '', ...rest] = part
    const name = names.get(head.toLowerCase())
    if (name === undefined) return undefined
    const words = [name, ...rest].map(literalWord)
    commands.push({
      text: part.join(' '),
      assignments: [],
      words,
      redirects: [],
      chain: 0,
      required: false,
    })
  }
  const features = new Set<Feature>(commands.length > 1 ? ['pipe'] : [])
  return { commands, features, unsure: [], forkBombs: [] }
}

function partsOf(line: string): readonly string[][] | undefined {
  const parts: string[][] = [[]]
  for (let rest = line.trim(); rest !== ''; ) {
    const [all = '', single, double, bare, pipe] = TOKEN.exec(rest) ?? []
    if (all === '') return undefined
    rest = rest.slice(all.length)
    const words = parts.at(-1) ?? []
    if (pipe) parts.push([])
    else if (bare === undefined && words.length === 0) return undefined
    // PowerShell reads a quoted `-Word` as an argument, the check as a parameter: unknown ones are `ask`.
    else words.push(bare ?? single ?? double ?? '')
  }
  return parts
}
