import { beforeAll, describe, expect, it } from 'vitest'
import { openShell, type Shell } from '../../src/index.ts'
import { isDash } from '../../src/request/interpreter.ts'
import { afterFile } from '../helpers/clean-up.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

const bash = isExecutable('/bin/bash')
const shells: Partial<Record<'sh' | 'bash', Shell>> = {}

beforeAll(async () => {
  const cwd = makeDirectory()
  for (const program of bash ? (['sh', 'bash'] as const) : (['sh'] as const))
    shells[program] = await openShell({ cwd, program, mode: 'read', privateTmp: true })
})
afterFile(async () => {
  for (const shell of Object.values(shells)) await shell.close()
})

/** Of bash's language: the line, what bash prints, and the word that the hint names where sh is dash. */
const idioms: readonly (readonly [line: string, printed: string, word: string])[] = [
  ['echo src/{a,b}', 'src/a src/b\n', '{a,b}'],
  ['for i in {1..3}; do echo "$i"; done', '1\n2\n3\n', '{1..3}'],
  ['command -v nosuchtool &>/dev/null && echo installed', '', '&>'],
  ['false &>/dev/null || echo failed', 'failed\n', '&>'],
  ['cd "$TMPDIR"; (echo a; echo b >&2) &>> log; cat log', 'a\nb\n', '&>>'],
  ['cd "$TMPDIR"; (echo a; echo b >&2) >& log; cat log', 'a\nb\n', '>& log'],
  ['cat <(echo a) <(echo b)', 'a\nb\n', '<(echo a)'],
  ['echo a > >(cat)', 'a\n', '>(cat)'],
  ['x=abc; [[ $x == a* ]] && echo yes', 'yes\n', '[['],
  ['[[ abc =~ ^a ]] && echo yes', 'yes\n', '[['],
  ["printf %s $'a\\tb'", 'a\tb', "$'a\\tb'"],
  ['IFS=$\'\\n\'; set -- $(printf "a b\\nc"); echo $#', '2\n', "$'\\n'"],
  [`a=(x y z); echo "\${a[1]} \${#a[@]}"`, 'y 3\n', 'a=(x y z)'],
  [`a[2]=x; echo "\${a[2]}"`, 'x\n', 'a[2]=x'],
  ['x=a; x+=b; echo $x', 'ab\n', 'x+=b'],
  ['set -o pipefail; false | true; echo $?', '1\n', 'pipefail'],
  ['set -euo pipefail; echo on', 'on\n', 'pipefail'],
  ['cd "$TMPDIR"; echo x=1 > env; source ./env; echo $x', '1\n', 'source'],
  ['echo -e "a\\tb"', 'a\tb\n', 'echo -e'],
  ['echo -ne "a\\n"', 'a\n', 'echo -ne'],
  ['sleep 50 & kill %1; wait; echo killed', 'killed\n', 'kill %1'],
  ['cat <<< word', 'word\n', '<<<'],
  ['(echo a >&2) |& cat', 'a\n', '|&'],
  [`x=a.b; echo \${x//./-}`, 'a-b\n', `\${x//./-}`],
  [`x=abc; echo \${x:1:1}`, 'b\n', `\${x:1:1}`],
  [`x=abc; echo \${x^^}`, 'ABC\n', `\${x^^}`],
  [`x=abc; y=x; echo \${!y}`, 'abc\n', `\${!y}`],
  ['i=1; ((i++)); echo $i', '2\n', '(('],
  ['for ((i=0; i<2; i++)); do echo $i; done', '0\n1\n', '(('],
  ['function f { echo f; }; f', 'f\n', 'function'],
  ['declare -i n=2+3; echo $n', '5\n', 'declare'],
  [`mapfile -t a < <(printf "x\\ny\\n"); echo "\${a[1]}"`, 'y\n', 'mapfile'],
  ['pushd / >/dev/null; pwd', '/\n', 'pushd'],
  ['case a in a) echo 1 ;& b) echo 2 ;; esac', '1\n2\n', ';&'],
  ['let n=2*3; echo $n', '6\n', 'let'],
  ['shopt -s nullglob; echo none*', '\n', 'shopt'],
]

describe.skipIf(!bash)('bash as the program of a shell', () => {
  it.each(idioms)('reads %s', async (line, printed) => {
    const result = await shells.bash?.execute({ command: line, timeoutMs: 20_000 })
    expect(result).toMatchObject({ stdout: printed, timedOut: false })
    expect(result?.hint).toBeUndefined()
  })
})

describe.skipIf(!isDash('sh'))('sh, where it is dash', () => {
  it.each(idioms)('is told to read otherwise than bash: %s', async (line, printed, word) => {
    const result = await shells.sh?.execute({ command: line, timeoutMs: 2_000 })
    expect(result?.hint).toContain('reads this line otherwise than bash does')
    expect(result?.hint).toContain(`"${word}"`)
    // pipefail: later versions of dash have it.
    if (word !== 'pipefail') expect(result?.stdout).not.toBe(printed)
  })

  it.each([
    ['a hint for a model names no option', 'echo {a,b}', 'ask the user'],
    ['several words, each kind once', 'echo -e {a,b} {c,d} &> /dev/null', '"&>"'],
    ['in a substitution', 'echo "$(echo {a,b})"', '"{a,b}"'],
    ['in a function and a loop', 'f() { for x in a; do [[ $x ]]; done; }; f', '"[["'],
  ])('%s', async (_, line, said) => {
    expect((await shells.sh?.execute({ command: line }, { hintFor: 'tool' }))?.hint).toContain(said)
  })

  it.each([
    'grep -c "[[:alpha:]]" /etc/passwd',
    "echo '&> {a,b} [[ $(( <( <<<'",
    `echo "{a,b}" \\{a,b\\} {} {a} \${x:-{a,b}}`,
    'ls 2>&1 >/dev/null | cat 1>&2',
    `echo $((1 + 2)) \${x%.*} \${x##*/} \${#x} \${x:-a} \${x:+a} $(( (1) ))`,
    'echo -n a; echo "-e"; printf "a\\tb"',
    "cat <<EOF\n{a,b} [[ &> <( $'x'\nEOF",
    'bash -c "echo {a,b}"; git log --pretty=format:%h%d -1 stash@{0}',
    'awk "{print $1, $2}" /dev/null; find . -exec echo {} +',
    'set -eu; f() { local a=1; return $a; }; f || true',
    'git show HEAD:source; : --function; : a=b+=c',
    'case a in a|b) :;; esac; [ a = a ] && test a',
  ])('is told nothing about: %s', async (line) => {
    expect((await shells.sh?.execute({ command: line }))?.hint).toBeUndefined()
  })
})

describe.skipIf(!isExecutable('/usr/bin/pkill'))('pkill -f', () => {
  it('is told where it ended its own shell, with a pattern that does not', async () => {
    const result = await shells.sh?.execute({ command: 'pkill -f "sleep 39.*790"; echo alive' })
    expect(result).toMatchObject({ signal: 'SIGTERM', stdout: '' })
    expect(result?.hint).toContain("pkill -f '[s]leep 39.*790'")
  })

  it('with that pattern leaves the shell alive, and says nothing', async () => {
    const result = await shells.sh?.execute({ command: "pkill -f '[s]leep 39790'; echo alive" })
    expect(result).toMatchObject({ exitCode: 0, stdout: 'alive\n' })
    expect(result?.hint).toBeUndefined()
  })

  it.each(['kill $$; : pkill -x -f "kill"', 'kill $$; : pkill kill', 'kill $$; echo "pkill -f kill"'])(
    'is not blamed for another end: %s',
    async (line) => {
      const result = await shells.sh?.execute({ command: line })
      expect(result).toMatchObject({ signal: 'SIGTERM' })
      expect(result?.hint ?? '').not.toContain('pkill')
    },
  )
})
