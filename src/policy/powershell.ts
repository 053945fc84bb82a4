import { win32 } from 'node:path'
import { words } from '../base/text.ts'
import { commandOf, literalWord, type SimpleCommand, type Word } from './line.ts'
import { builtIn, indexRules } from './safe-list.ts'

/** Cmdlets that read what their arguments name. Only these and `others`, with literal arguments, and pipes of them are understood. */
const readers = words(`
  Get-ChildItem Get-Content Get-FileHash Get-Item Resolve-Path Select-String Split-Path Test-Path`)
const others = words('Get-Date Get-Location Measure-Object Select-Object Sort-Object Write-Output')

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
const names = new Map([
  ...[...readers, ...others].map((name) => [name.toLowerCase(), name] as const),
  ...Object.entries(aliases),
])

export const powershellRules = indexRules(
  [...readers, ...others].map((name) => {
    return { prefix: [name], verdict: 'allow' as const, source: builtIn, reason: '', check: leadingAway }
  }),
)

function leadingAway(given: readonly Word[]): string | undefined {
  return given.find(({ value }) => leadsAway(value))?.text
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
  if (!readers.includes(cmdlet?.value ?? '') || text.startsWith('-')) return undefined
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

/** The commands of a PowerShell line if it is unambiguous; otherwise `undefined`. */
export function parsePowershell(line: string): readonly SimpleCommand[] | undefined {
  const commands: SimpleCommand[] = []
  for (const part of partsOf(line) ?? [[]]) {
    const [head = '', ...rest] = part
    const name = names.get(head.toLowerCase())
    if (name === undefined) return undefined
    commands.push(commandOf(part.join(' '), [name, ...rest].map(literalWord)))
  }
  return commands
}

function partsOf(line: string): readonly string[][] | undefined {
  const parts: string[][] = [[]]
  for (let rest = line.trim(); rest !== ''; ) {
    const [all = '', single, double, bare, pipe] = TOKEN.exec(rest) ?? []
    if (all === '') return undefined
    rest = rest.slice(all.length)
    const part = parts.at(-1) ?? []
    if (pipe) parts.push([])
    else if (bare === undefined && part.length === 0) return undefined
    else part.push(bare ?? single ?? double ?? '')
  }
  return parts
}
