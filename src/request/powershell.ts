import { win32 } from 'node:path'
import { VitrineError } from '../messages/error.ts'
import type { Variables } from './environment.ts'
import type { Interpreter, ProgramToStart } from './interpreter.ts'

/** The longest line that goes on the command line unencoded, in characters. */
const maxLineLength = 30_000
/** A command line holds 32,767 characters including its NUL (CreateProcessW); so does one variable. */
const maxCommandLineLength = 32_767 - 1

/** Else Windows PowerShell uses the system's code page, as it does where a language mode forbids this. */
const utf8 =
  'try { [Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); $OutputEncoding = [Console]::OutputEncoding } catch {}; '
const mustComeFirst =
  /^(?:\s|#[^\n]*\n|<#[\s\S]*?#>)*(?:using\b|param\b|\[cmdletbinding|(?:dynamicparam|begin|process|end)\s*\{)/i

/** Of a line whose variables PowerShell expands before the inner PowerShell sees it. */
export const nestedHint =
  'The command already runs in PowerShell, which expands the $ variables of a double-quoted script before the inner "powershell -Command" sees it. Pass the script itself as the command, or put it in single quotes.'

/** `powershell.exe -Command LINE` by its absolute path, and programs looked up without batch files. */
export function powershell(systemDirectory: string): Interpreter {
  const program = `${systemDirectory}\\WindowsPowerShell\\v1.0\\powershell.exe`
  return {
    name: 'powershell',
    line: (line) => shortLine(program, line) ?? longLine(program, line),
    hint: (line) => (expandsTooEarly(line) ? nestedHint : undefined),
    argv: (argv, { cwd, environment }) => ({
      candidates: programCandidates(argv[0], cwd, environment['PATH'] ?? systemDirectory),
      argv,
      commandLine: commandLine(argv),
    }),
  }
}

function shortLine(program: string, line: string): ProgramToStart | undefined {
  if (line.length > maxLineLength || mustComeFirst.test(line)) return undefined
  const argv = ['powershell.exe', '-NoProfile', '-NonInteractive', '-Command', utf8 + line]
  const whole = commandLine(argv)
  return whole.length > maxCommandLineLength ? undefined : { candidates: [program], argv, commandLine: whole }
}

/**
 * In variables that an encoded script joins, removes and runs: the encoded line would not fit. Without
 * -OutputFormat an encoded command writes its errors as XML.
 */
function longLine(program: string, line: string): ProgramToStart {
  const script =
    utf8 +
    "$VitrineLine = ''; $VitrinePart = 0; " +
    'while (Test-Path "Env:VITRINE_LINE_$VitrinePart") { ' +
    '$VitrineLine += (Get-Item "Env:VITRINE_LINE_$VitrinePart").Value; ' +
    'Remove-Item "Env:VITRINE_LINE_$VitrinePart"; $VitrinePart++ }; ' +
    '. ([ScriptBlock]::Create($VitrineLine))'
  const encoded = Buffer.from(script, 'utf16le').toString('base64')
  const options = ['-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand', encoded]
  const argv = ['powershell.exe', ...options]
  return { candidates: [program], argv, commandLine: commandLine(argv), variables: parts(line) }
}

function parts(line: string): Variables {
  const pieces: string[] = []
  for (let from = 0; from < line.length; ) {
    let to = from + maxLineLength
    if (isHighSurrogate(line, to - 1)) to--
    pieces.push(line.slice(from, to))
    from = to
  }
  return Object.fromEntries(pieces.map((piece, index) => [`VITRINE_LINE_${index}`, piece]))
}

/** A surrogate pair that is cut in two would be lost in the conversion. */
function isHighSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xd800 && unit < 0xdc00
}

/** A program by its path, or from PATH; in the current directory only where the path says so. */
function programCandidates(name: string, cwd: string, path: string): string[] {
  // CreateProcessW passes batch files to cmd.exe, which has its own rules for arguments (CVE-2024-24576).
  if (/\.(bat|cmd)[. ]*$/i.test(name))
    throw new VitrineError({ code: 'INVALID_REQUEST', problem: { kind: 'batch-file', name } })
  const files = /\.(exe|com)$/i.test(name) ? [name] : [`${name}.exe`, `${name}.com`]
  if (/[\\/:]/.test(name)) return files.map((file) => win32.resolve(cwd, file))
  const directories = path
    .split(';')
    .map((entry) => entry.replaceAll('"', '').trim())
    .filter((entry) => win32.isAbsolute(entry))
  return directories.flatMap((directory) => files.map((file) => win32.join(directory, file)))
}

/** For another PowerShell: the outer one expands variables first. */
function expandsTooEarly(line: string): boolean {
  return /^\s*(?:&\s*)?["']?(?:\S*[\\/])?(?:powershell|pwsh)(?:\.exe)?["']?\s(?:.*\s)?-c(?:ommand)?\s+"[^"]*\$/is.test(
    line,
  )
}

/**
 * The command line of a Windows process: CommandLineToArgvW and the C runtime read the same argument vector
 * back from it. https://learn.microsoft.com/cpp/c-language/parsing-c-command-line-arguments
 */
export function commandLine(argv: readonly string[]): string {
  const [program = '', ...rest] = argv
  // The program's name has a rule of its own: quotes begin and end, and backslashes are ordinary characters.
  const name = /[\s"]/.test(program) || program === '' ? `"${program.replaceAll('"', '')}"` : program
  return [name, ...rest.map(quoted)].join(' ')
}

/** Backslashes are special only before a quote: they are doubled there, and before the closing quote. */
function quoted(argument: string): string {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument
  return `"${argument.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`
}
