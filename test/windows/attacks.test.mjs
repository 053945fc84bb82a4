import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { doubledPowershell, makeDirectory, openTestShell, useAddon } from './place.mjs'

// For real PowerShell at real Low integrity. NOT YET RUN on Windows. Each attack is harmless if it succeeds.
const held = useAddon('released').probe().held
const skip = doubledPowershell || (held ? false : 'this system has no integrity levels')
const name = `vitrine-attack-${process.pid}`
const places = ['USERPROFILE', 'APPDATA', 'LOCALAPPDATA', 'ProgramFiles', 'ProgramData', 'TEMP', 'SystemRoot']

for (const place of places)
  test(`read mode writes nothing to ${place}`, { skip }, async () => {
    const shell = await openTestShell({ mode: 'read' })
    const path = join(process.env[place] ?? '', name)
    after(() => rmSync(path, { force: true }))
    await shell.execute({ command: `Set-Content -Path '${path}' -Value x` })
    assert.equal(existsSync(path), false)
  })

const file = join(makeDirectory(), 'file')
const attacks = {
  'changes a file': `Set-Content '${file}' changed`,
  'deletes a file': `Remove-Item '${file}'`,
  'renames a file': `Rename-Item '${file}' other`,
  'changes a time': `(Get-Item '${file}').LastWriteTime = '2001-01-01'`,
  'changes rights': `icacls '${file}' /grant Everyone:F`,
  'ends a process': `Stop-Process -Id ${process.pid} -Force`,
  'sets a variable of the user': `[Environment]::SetEnvironmentVariable('${name}', 'x', 'User')`,
  'schedules a task': `schtasks /Create /F /TN ${name} /SC ONCE /ST 23:59 /TR "cmd /c echo x > '${file}'"`,
  'starts a process through WMI': `Invoke-CimMethod Win32_Process Create @{ CommandLine = "cmd /c echo x > ""${file}""" }`,
  'starts a process through wmic': `wmic process call create 'cmd /c echo x > "${file}"'`,
  'starts a process through COM': `(New-Object -ComObject Shell.Application).ShellExecute('cmd', '/c echo x > "${file}"')`,
  'runs a program of the shell window': `$s = [Activator]::CreateInstance([Type]::GetTypeFromCLSID('9BA05972-F6A8-11CF-A442-00A0C90A8F39')); $s.Item().Document.Application.ShellExecute('cmd', '/c echo x > "${file}"')`,
  'makes a service': `sc.exe create ${name} binPath= 'cmd /c echo x > "${file}"'`,
  'sends a job to BITS': `bitsadmin /create ${name}`,
  'writes the registry': `New-Item -Path 'HKCU:\\Software\\${name}'`,
}
for (const [what, command] of Object.entries(attacks)) {
  const look = () =>
    execFileSync('powershell', [
      '-NoProfile',
      '-Command',
      `icacls '${file}'; (Get-Item '${file}').LastWriteTime.Ticks; Get-Content '${file}'; ` +
        `Test-Path 'HKCU:\\Software\\${name}'; ` +
        `schtasks /Query /TN ${name} 2>$null; Get-Service ${name} 2>$null; bitsadmin /list; ` +
        `[Environment]::GetEnvironmentVariable('${name}', 'User')`,
    ]).toString()

  test(`read mode: nothing ${what}`, { skip }, async () => {
    writeFileSync(file, 'as it was')
    const shell = await openTestShell({ mode: 'read' })
    const before = look()
    await shell.execute({ command })
    // What another process starts for it takes a moment.
    await new Promise((resolve) => setTimeout(resolve, 1000))
    assert.equal(look(), before)
  })
}

test('cmd may write to NUL, and leaves no file of that name', { skip }, async () => {
  const shell = await openTestShell({ mode: 'read' })
  const { exitCode } = await shell.execute({ command: `cmd /c "echo x>NUL"; exit $LASTEXITCODE` })
  assert.equal(exitCode, 0)
})

test('TEMP of a read-mode command can be written to', { skip }, async () => {
  const shell = await openTestShell({ mode: 'read' })
  const { exitCode } = await shell.execute({
    command: `$f = New-TemporaryFile -ErrorAction Stop; Remove-Item $f -ErrorAction Stop; exit 0`,
  })
  assert.equal(exitCode, 0)
})

test('a folder labelled Low stays writable, as docs/platforms.md says', {
  skip,
}, async () => {
  const folder = join(process.env.LOCALAPPDATA ?? '', '..', 'LocalLow', name)
  mkdirSync(folder, { recursive: true })
  after(() => rmSync(folder, { recursive: true, force: true }))
  const shell = await openTestShell({ mode: 'read' })
  await shell.execute({ command: `Set-Content '${join(folder, 'file')}' x` })
  assert.equal(existsSync(join(folder, 'file')), true)
})

test('PowerShell: exit codes, long lines and awkward text', { skip }, async () => {
  const shell = await openTestShell({ mode: 'read' })
  assert.equal((await shell.execute({ command: 'exit 7' })).exitCode, 7)
  const text = `"quoted" \\" $ %PATH% ${'x'.repeat(40_000)}`
  const { stdout } = await shell.execute({ command: `[Console]::Out.Write('${text}'.Length)` })
  assert.equal(stdout, String(text.length))
  const { output } = await shell.execute({
    command: `Get-ChildItem Env:VITRINE_LINE_* | Measure-Object | % Count #${'x'.repeat(40_000)}`,
  })
  assert.equal(output.trim(), '0')
})
