import { describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { nestedPowershellHint } from '../../src/messages/platform.ts'
import { powershell } from '../../src/request/powershell.ts'

const shell = powershell('C:\\windows\\system32')
const context = {
  cwd: 'C:\\work',
  environment: { PATH: 'C:\\bin;relative;"C:\\quoted dir";;D:\\x' },
}

describe('PowerShell', () => {
  it('is started by its absolute path in the system directory', () => {
    expect(shell.line('dir').candidates).toEqual([
      'C:\\windows\\system32\\WindowsPowerShell\\v1.0\\powershell.exe',
    ])
  })

  it('gets a line of 30,000 characters as it is, and a longer one in variables', () => {
    const line = (length: number) => 'x'.repeat(length)
    const { argv: short } = shell.line(line(30_000))
    expect(short.slice(0, -1)).toEqual(['powershell.exe', '-NoProfile', '-NonInteractive', '-Command'])
    expect(short.at(-1)).toMatch(/; x{30000}$/)
    const { argv, variables } = shell.line(line(70_000))
    expect(argv.slice(0, -1)).toEqual([
      ...['powershell.exe', '-NoProfile', '-NonInteractive', '-OutputFormat', 'Text', '-EncodedCommand'],
    ])
    expect(Object.keys(variables ?? {})).toEqual(['VITRINE_LINE_0', 'VITRINE_LINE_1', 'VITRINE_LINE_2'])
    expect(Object.values(variables ?? {}).join('')).toBe(line(70_000))
  })

  it('no command line and no variable is longer than Windows takes', () => {
    for (const line of [
      '"'.repeat(30_000),
      '\\"'.repeat(16_000),
      'a b'.repeat(40_000),
      '🎉'.repeat(32_000),
    ]) {
      const { commandLine, variables } = shell.line(line)
      expect(commandLine?.length).toBeLessThan(32_767)
      for (const value of Object.values(variables ?? {})) expect(value.length).toBeLessThan(32_767)
    }
  })

  it('a script for long lines joins them, takes them out of the environment and runs them', () => {
    const script = Buffer.from(shell.line('x'.repeat(40_000)).argv.at(-1) ?? '', 'base64').toString('utf16le')
    expect(script).toMatch(/Remove-Item "Env:VITRINE_LINE_\$VitrinePart"/)
    expect(script).toMatch(/\. \(\[ScriptBlock\]::Create\(\$VitrineLine\)\)$/)
  })

  it('a line that begins with a dash is not an option, and a dash alone does not read the input', () => {
    expect(shell.line('-').argv.at(-1)).toMatch(/^try .*; -$/)
    expect(shell.line('-x').argv.at(-1)).toMatch(/^try .*; -x$/)
  })

  it('writes UTF-8: the encoding is set before short lines and long ones', () => {
    const encoding =
      /^try \{ \[Console\]::OutputEncoding = \[Text\.UTF8Encoding\]::new\(\$false\); \$OutputEncoding = /
    expect(shell.line('dir').argv.at(-1)).toMatch(encoding)
    const script = Buffer.from(shell.line('x'.repeat(40_000)).argv.at(-1) ?? '', 'base64').toString('utf16le')
    expect(script).toMatch(encoding)
  })

  it('puts nothing before what must come first in a script', () => {
    for (const line of [
      ...['using namespace System.IO', 'param($x) $x', '# a\n<# b #> using module x'],
      ...['process { 1 }', 'Begin{ 1 } end { 2 }'],
    ])
      expect(shell.line(line).argv).toContain('-EncodedCommand')
    expect(shell.line('# a\nls').argv).toContain('-Command')
  })

  it('programs are looked for in the absolute directories of PATH, as .exe and .com', () => {
    expect(shell.argv(['git', 'log'], context).candidates).toEqual([
      ...['C:\\bin\\git.exe', 'C:\\bin\\git.com'],
      ...['C:\\quoted dir\\git.exe', 'C:\\quoted dir\\git.com'],
      ...['D:\\x\\git.exe', 'D:\\x\\git.com'],
    ])
    expect(shell.argv(['git.EXE'], context).candidates[0]).toBe('C:\\bin\\git.EXE')
  })

  it('a program with a path is looked for there alone, from the directory of the command', () => {
    expect(shell.argv(['.\\tool'], context).candidates).toEqual(['C:\\work\\tool.exe', 'C:\\work\\tool.com'])
    expect(shell.argv(['d:/a/b.exe'], context).candidates).toEqual(['d:\\a\\b.exe'])
  })

  it.each(['npm.cmd', 'x.BAT', 'c:\\x.bat', 'x.cmd.', 'x.bat . '])(
    '%j is a batch file, and refused',
    (name) => {
      expect(() => shell.argv([name], context)).toThrow(VitrineError)
    },
  )
})

describe('a line that another PowerShell gets too late', () => {
  it.each([
    'powershell -Command "$x = 1; $x"',
    'powershell.exe -NoProfile -c "Get-Item $env:TEMP"',
    '& "C:\\windows\\system32\\WindowsPowerShell\\v1.0\\powershell.exe" -Command "echo $PID"',
    'pwsh -NoLogo -Command "$_"',
  ])('%s', (line) => expect(shell.hint?.(line, { signal: null, reader: 'user' })).toBe(nestedPowershellHint))

  it.each(['powershell -Command "dir"', "powershell -Command '$x'", 'echo "powershell -Command $x"', 'dir'])(
    'not %s',
    (line) => expect(shell.hint?.(line, { signal: null, reader: 'user' })).toBeUndefined(),
  )
})
