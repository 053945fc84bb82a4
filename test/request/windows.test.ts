import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { VitrineError } from '../../src/messages/error.ts'
import { commandEnvironment, type HostPlace } from '../../src/request/environment.ts'
import { commandLine, nestedHint, powershell } from '../../src/request/powershell.ts'

/** CommandLineToArgvW, as its documentation tells it: the other half of what is tested. */
function parse(line: string): string[] {
  const program = /^(?:"([^"]*)"|([^\s"]*))\s*/.exec(line)
  const argv = [program?.[1] ?? program?.[2] ?? '']
  const rest = line.slice(program?.[0].length ?? 0)
  let current = ''
  let inside = false
  let started = false
  for (const [, slashes = '', next = ''] of rest.matchAll(/(\\*)([\s\S]|$)/g)) {
    if (next === '"') {
      current += '\\'.repeat(Math.floor(slashes.length / 2))
      started = true
      if (slashes.length % 2 === 1) current += '"'
      else inside = !inside
      continue
    }
    current += slashes
    if (slashes !== '') started = true
    if (next !== '' && (inside || !/[ \t]/.test(next))) {
      current += next
      started = true
    } else if (started && !inside) {
      argv.push(current)
      current = ''
      started = false
    }
  }
  return argv
}

describe('the command line of Windows', () => {
  it.each([
    [['a', 'first\nsecond', '\ttab', '\u00a0', '🎉 日本']],
    [['C:\\Program Files\\node.exe', '-e', 'console.log("x y")']],
  ])('%j is read back as it was', (argv) => {
    expect(parse(commandLine(argv))).toEqual(argv)
  })

  it('everything of backslashes, quotes and blanks up to length 5 is read back as it was', () => {
    const alphabet = ['\\', '"', ' ', 'x']
    let words = ['']
    expect(parse(commandLine(['a', '', '']))).toEqual(['a', '', ''])
    for (let length = 0; length < 5; length++) {
      words = words.flatMap((word) => alphabet.map((letter) => word + letter))
      for (const word of words) expect(parse(commandLine(['a', word, 'z']))).toEqual(['a', word, 'z'])
    }
  })
})

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
  ])('%s', (line) => expect(shell.hint?.(line)).toBe(nestedHint))

  it.each(['powershell -Command "dir"', "powershell -Command '$x'", 'echo "powershell -Command $x"', 'dir'])(
    'not %s',
    (line) => expect(shell.hint?.(line)).toBeUndefined(),
  )
})

const profile = String.raw`C:\Users\a`
const low = String.raw`C:\Users\a\AppData\LocalLow\Temp`
const usual = String.raw`C:\Users\a\AppData\Local\Temp`
const caller = { UserProfile: profile, Temp: usual, TMP: usual, USERPROFILE: profile, TEMP: usual }

it.each<[string, Mode, HostPlace, object, readonly string[], Record<string, string>?]>([
  ['of read mode are where a process of Low integrity can write', 'read', 'windows', caller, [low, low]],
  ['of write mode are where the user has them', 'write', 'windows', caller, [usual, usual]],
  ['of read mode are where [env] set says', 'read', 'windows', caller, ['D:\\t', low], { temp: 'D:\\t' }],
  ['of write mode are where [env] set says', 'write', 'windows', caller, ['D:\\t', usual], { temp: 'D:\\t' }],
  [
    'without a profile are where the user has them',
    'read',
    'windows',
    { TEMP: usual, TMP: usual },
    [usual, usual],
  ],
  ['of Linux are where the user has them', 'read', 'linux', caller, [usual, usual]],
  ['of macOS are where the user has them', 'read', 'macos', caller, [usual, usual]],
])('temporary files %s', (_, mode, place, variables, expected, set = {}) => {
  const settings = { inherit: 'auto', pass: ['TEMP', 'TMP'], set } as const
  const { TEMP, TMP } = commandEnvironment({ ...variables }, settings, { mode, place, terminal: false })
  expect([TEMP, TMP]).toEqual(expected)
})
