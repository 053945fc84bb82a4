import assert from 'node:assert/strict'
import test from 'node:test'
import { acceptAnyLevel, actor, openTestShell, realPowershell } from './place.mjs'

acceptAnyLevel()
const double = { skip: realPowershell }

// powershell.exe is a double here (test/fixtures/windows/powershell.c): it proves how a line travels, not what it means.
const awkward = [
  'plain',
  'two words',
  '"',
  'a "quoted" word',
  'ends with a backslash \\',
  'ends with two \\\\',
  '\\" and \\\\" and \\\\\\"',
  '$env:PATH and $(Get-Date) and `n',
  "single 'quotes' %PATH% ^ & | < > !",
  'first line\nsecond line\r\nthird\ttab',
  'ünïcödé 日本語 🎉 \u00a0',
  '-dash',
  '-',
  '   blanks   ',
]

/** Those of which each part, or the line grown by its quoting, is about as long as one may be; characters stand on every cut. */
const long = [
  ...[29_994, 29_995, 60_000, 100_000].map((length) => 'abcdefghi '.repeat(10_000).slice(0, length)),
  ...['"'.repeat(25_000), `x${'🎉'.repeat(20_000)}`, '🎉'.repeat(20_000), `日本語 ${'x'.repeat(40_000)}`],
]

test(
  'a line arrives as it was given, whatever is in it and however long, and its output is UTF-8',
  double,
  async () => {
    const shell = await openTestShell({ mode: 'read', toml: '[output]\ninline_max_chars = 200000' })
    for (const text of [...awkward, ...long])
      assert.equal((await shell.execute({ command: `print ${text}` })).output, text)
  },
)

test('PowerShell loads no profile and does not prompt, and a dash begins no option', double, async () => {
  const shell = await openTestShell({ mode: 'read' })
  const { output } = await shell.execute({ command: 'options' })
  assert.match(output, /^-NoProfile -NonInteractive -Command .*; options$/)
  assert.notEqual((await shell.execute({ command: '-NoExit' })).exitCode, 92)
})

test('exit codes and both streams of a line arrive', double, async () => {
  const shell = await openTestShell({ mode: 'write' })
  const { stdout, stderr, exitCode } = await shell.execute({ command: 'echo out& echo err>&2& exit 7' })
  assert.deepEqual([stdout.trim(), stderr.trim(), exitCode], ['out', 'err', 7])
})

test('an argument vector arrives as it was given, with no shell between', async () => {
  const shell = await openTestShell({ mode: 'read' })
  const given = [...awkward.filter((text) => !text.includes('\n')), '']
  const { output } = await shell.execute({ argv: [actor, 'arguments', ...given] })
  assert.deepEqual(output.split('\n').slice(0, -1), given)
})

test('a line wrapped in another powershell is told of its early variables', async () => {
  const shell = await openTestShell({ mode: 'write' })
  const hint = async (command) => (await shell.execute({ command })).hint ?? ''
  assert.match(await hint('powershell -Command "$x = 1; $x"'), /before the inner/)
  assert.match(await hint('powershell.exe -NoProfile -c "Write-Output $PID"'), /before the inner/)
  assert.equal(await hint("powershell -Command '$x = 1'"), '')
  assert.equal(await hint('echo $x'), '')
})
