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
