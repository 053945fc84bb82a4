import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { isDash } from '../../src/request/interpreter.ts'
import { Home } from '../cli/vitrine.ts'
import { builtLibrary, isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

/** Whether the program is installed; `dash`: whether it is sh. */
const isThere = (program: string) => (program === 'dash' ? isDash('sh') : isInstalled(program))

const said = (text: string) => expect.stringContaining(text)

/** R01: lines of bash's language, in bash; and what sh says where it is dash. */
const dialects: readonly Report[] = [
  {
    name: 'R01 braces make two directories',
    needs: ['bash'],
    script: `git init -q .; vitrine run --mode workspace --shell bash -- 'mkdir -p src/{a,b} && ls src'`,
    ran: { code: 0, stdout: 'a\nb\n', stderr: '' },
  },
  {
    name: 'R01 a missing tool is not called installed',
    needs: ['bash'],
    script: `vitrine run --shell bash -- 'command -v nosuchtool &>/dev/null && echo installed'`,
    ran: { code: 1, stdout: '', stderr: '' },
  },
  {
    name: 'R01 a command that fails into a log is seen to fail',
    needs: ['bash'],
    script: `git init -q .
      vitrine run --mode workspace --shell bash -- 'sh -c "echo FAILED; exit 1" &> out.log; echo "rc=$?"; cat out.log'`,
    ran: { code: 0, stdout: 'rc=1\nFAILED\n', stderr: '' },
  },
  {
    name: 'R01 an alternative to a failure runs',
    needs: ['bash'],
    script: `vitrine run --shell bash -- 'false &>/dev/null || echo "build failed"'`,
    ran: { code: 0, stdout: 'build failed\n', stderr: '' },
  },
  {
    name: 'R01 a range and escapes',
    needs: ['bash'],
    script: String.raw`vitrine run --shell bash -- 'for i in {1..3}; do echo $i; done; echo -e "a\tb"'`,
    ran: { code: 0, stdout: '1\n2\n3\na\tb\n', stderr: '' },
  },
  {
    name: 'R01 pipefail',
    needs: ['bash'],
    script: `echo 1 > f; vitrine run --shell bash -- 'set -o pipefail; ls | head -1'`,
    ran: { code: 0, stdout: 'f\n', stderr: '' },
  },
  {
    name: 'R01 sh says that it starts a command in the background, though the line succeeds',
    needs: ['dash'],
    script: `vitrine run -- 'command -v nosuchtool &>/dev/null && echo installed'`,
    ran: { code: 0, stderr: said('"&>"') },
  },
  {
    name: 'R01 sh says that braces stay',
    needs: ['dash'],
    script: `vitrine run -- 'for i in {1..3}; do echo $i; done'`,
    ran: { code: 0, stderr: said('"{1..3}"') },
  },
  {
    name: 'R17 bash kills a job by its number',
    needs: ['bash'],
    script: `vitrine run --shell bash --timeout 60s -- 'sleep 50 & kill %1; wait; echo killed'`,
    ran: { code: 0, stdout: 'killed\n' },
  },
  {
    name: 'R17 sh says what to write in place of a number',
    needs: ['dash'],
    script: `vitrine run --timeout 60s -- 'sleep 50 & kill %1 || kill $!; wait; echo killed'`,
    ran: { code: 0, stdout: 'killed\n', stderr: said('%1') },
  },
  {
    name: 'R18 a pkill -f that ends its own shell is told so, with a pattern that does not',
    needs: ['pkill'],
    script: `vitrine run -- 'pkill -f "sleep 3979"; echo ALIVE'; echo $?
      vitrine run -- "pkill -f '[s]leep 3979'; echo ALIVE"`,
    ran: { stdout: '143\nALIVE\n', stderr: said("pkill -f '[s]leep 3979'") },
  },
]

const lines: readonly Report[] = [
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
    name: 'R37 endless output ends at the limit',
    script: `printf '[output]\\nmax_bytes = 5000000\\n' > c.toml
      { vitrine run --config c.toml -- yes; echo $? > code; } | wc -c; cat code`,
    check({ stdout, stderr }) {
      const [bytes, code] = stdout.split('\n').map(Number)
      expect(bytes).toBeGreaterThanOrEqual(5_000_000)
      expect(bytes).toBeLessThan(7_000_000)
      expect(code).toBe(125)
      expect(stderr).toContain('output limit')
    },
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
    name: 'R43 the names of standard output and error lead to them',
    script: `vitrine run -- 'echo a > /dev/stdout; echo b > /dev/stderr; echo c | tee /dev/stderr >/dev/null
      echo d > /dev/fd/1; echo e > /proc/self/fd/2' > o 2> e; cat o; echo --; cat e`,
    ran: { stdout: 'a\nd\n--\nb\nc\ne\n' },
  },
]

reports(new Home(), [...dialects, ...lines], isThere)
