import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { makeMarker, survivors } from '../helpers/processes.ts'
import { builtLibrary, isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

/** Longer than any of these commands may take: who waits for them fails by the test's own limit. */
const [long, left] = [makeMarker(), makeMarker()]

const table: readonly Report[] = [
  {
    name: 'R30 a here-document in a substitution is whole',
    script: `vitrine run -- "echo \\"\\$(cat <<'EOF'
$(head -c 3000 /dev/zero | tr '\\0' A)
EOF
)\\" | wc -c"`,
    ran: { code: 0, stdout: '3001\n', stderr: '' },
  },
  {
    name: 'R34 the end of long output is in the result, and its length',
    script: `vitrine run --json -- "node -e 'process.stdout.write(\\"x\\".repeat(2500000)+\\"END-MARKER\\\\n\\")'" |
      grep -o 'END-MARKER\\|"bytes":2500011' | sort -u`,
    ran: { stdout: '"bytes":2500011\nEND-MARKER\n' },
  },
  {
    name: 'R37 a file in the workspace is no output, and not limited by default',
    script: `git init -q .; printf '[output]\\nmax_bytes = 5000000\\n' > c.toml
      vitrine run --config c.toml --mode workspace -- 'yes | head -c 20000000 > big'`,
    check(ran, directory) {
      expect(ran).toMatchObject({ code: 0 })
      expect(statSync(join(directory, 'big')).size).toBe(20_000_000)
    },
  },
  {
    name: 'R38 directories and files of any name',
    script:
      String.raw`nl=$(printf 'nl\nx')
      for n in "Matt's PC" '$(touch x)''` +
      '`id`' +
      String.raw`' "$nl" '-dash' '!bang!' '"q"' 'Ünï (1) [2]*'; do
        mkdir -p "$d/$n"; cd "$d/$n"; git init -q .; echo 1 > "f $n"
        vitrine run --mode workspace -- "printf '%s\n' '!y' > out; git add -A; git ls-files | wc -l; cat out"
      done`,
    check(ran, directory) {
      expect(ran).toMatchObject({ code: 0, stdout: '2\n!y\n'.repeat(7), stderr: '' })
      expect(existsSync(join(directory, 'x'))).toBe(false)
    },
  },
  {
    name: 'R39 a script of 200 kB works by stdin; as one argument it is refused with the reason',
    env: { LIBRARY: builtLibrary },
    script: `git init -q .; head -c 200000 /dev/zero | tr '\\0' a > big
      printf 'cat > copy <<"EOF"\\n%s\\nEOF\\n' "$(cat big)" > line
      vitrine run --mode workspace -- sh < line; wc -c < copy
      node -e '
        import(process.argv[1]).then(async ({ openShell }) => {
          const shell = await openShell({ mode: "workspace" })
          await shell.execute({ command: require("fs").readFileSync("line", "utf8") }).catch((e) => console.log(e.message))
          await shell.close()
        })' "$LIBRARY"`,
    ran: {
      stdout: expect.stringMatching(/^200001\n.*accepts at most 131071 in one argument/),
    },
  },
  {
    name: 'R31 a background process keeps no call from its end, and no held mode leaves one',
    script: `git init -q .
      for m in read workspace; do
        vitrine run --mode $m -- '(while :; do echo tick; sleep 1; done) & echo fg' | head -1
        vitrine run --mode $m -- 'setsid nohup sleep ${left} & echo pid'
      done`,
    async check(ran) {
      expect(ran.stdout).toMatch(/^(?:fg|tick)\npid\n(?:fg|tick)\npid\n$/)
      expect(await survivors(left)).toEqual([])
    },
  },
  {
    name: 'R32 a deadline ends what ignores SIGTERM and left the session',
    script: `vitrine run --timeout 1s -- 'trap "" TERM; (trap "" TERM; setsid sleep ${long}) & sleep ${long}'; echo $?`,
    async check(ran) {
      expect(ran).toMatchObject({ stdout: '124\n' })
      expect(await survivors(long)).toEqual([])
    },
  },
  {
    name: 'R45 a command cannot end what runs it',
    script: `git init -q .
      vitrine run -- 'kill -9 $PPID; echo still'
      vitrine run --mode workspace -- 'exec sh -c "kill -9 \\$PPID; echo still"'`,
    check(ran) {
      expect(ran).toMatchObject({ code: 0, stdout: 'still\nstill\n' })
      expect(ran.stderr.match(/mode refuses to signal pid/g)).toHaveLength(2)
    },
  },
]

reports(new Home(), table, isInstalled)
