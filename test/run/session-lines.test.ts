// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the shell's expansions
import { describe, expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

/** Lines whose result must not show that a session runs them. */
const lines = [
  'true',
  'false',
  'exit 3',
  '(exit 5)',
  'echo out; echo err >&2',
  'foo',
  'foo; echo $?',
  './foo',
  'echo a\n\nfoo',
  'cat <<END\none\n$((1 + 1))\nEND',
  'cat <<END\nunfinished',
  "echo 'it''s' \"a b\" \\$x",
  'echo "$0" "$#" "$@"',
  'echo "$LINENO"\necho "$LINENO"',
  'set -e; false; echo no',
  'set -u; echo "$nope"; echo no',
  'set -x; echo traced; true',
  '# a comment',
  'echo a # a comment',
  'f() { return 4; }; f',
  'for i in 1 2; do echo $i; done; exit $i',
  'if true; then echo yes\nelse echo no\nfi',
  '(trap "echo bye $?" EXIT; exit 2)',
  'trap "echo bye" EXIT; echo end; false',
  'trap "echo bye; exit 9" EXIT; exit 2',
  'exec sh -c "exit 7"',
  'echo a | tr a b | cat',
  'sleep 0.01 & wait $!; echo $?',
  'echo to >&3',
  'exec 3>/dev/null; echo to >&3; echo $?',
  'ls /proc/self/fd | grep -c . ; : | readlink /proc/self/fd/3',
  'x=1 y=2; echo $x$y; unset x; echo ${x-none}',
  'readonly r=1; r=2; echo no',
  'cd /nowhere || echo "$?"',
  'kill -TERM $$; sleep 5',
  'break; echo $?',
  '. ./nowhere; echo no',
  'false && echo no; echo $?',
  '! true',
  'printf "%s\\n" "$PWD" "${OLDPWD-none}"',
  'case $- in *e*) echo e ;; *) echo plain ;; esac',
  '{ echo a; } 2>&1',
  'umask; alias; echo "${HOME:+home}"',
  'export A=1; env | grep "^A="; sh -c "echo \\$A"',
]

describe.each(['sh', 'bash'])('%s reads a line of a session', (program) => {
  const there = program === 'sh' || isExecutable('/bin/bash')
  it.skipIf(!there)('as any other', async () => {
    const shell = await openTestShell({ program, env: { OLDPWD: undefined } })
    for (const command of lines) {
      const { exitCode, signal, stdout, stderr } = await shell.execute({ command })
      expect(await shell.session().execute({ command }), command).toMatchObject({
        ...{ exitCode, signal, stdout, stderr },
      })
    }
  })

  it.skipIf(!there)('whose syntax is wrong, which the shell says', async () => {
    const session = (await openTestShell({ program })).session()
    await session.execute({ command: 'x=1' })
    for (const command of ['if', 'echo "a', ')', '; ls', 'done']) {
      const result = await session.execute({ command })
      expect(result, command).toMatchObject({ exitCode: 2, stdout: '' })
      expect(result.stderr.toLowerCase(), command).toMatch(/syntax error|unterminated|unexpected eof/)
    }
    expect(await session.execute({ command: 'echo $x' })).toMatchObject({ stdout: '1\n' })
  })
})
