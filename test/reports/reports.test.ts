import { existsSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Home, type Ran } from '../cli/vitrine.ts'
import { makeMarker, survivors } from '../helpers/processes.ts'
import { builtLibrary, isInstalled } from '../helpers/programs.ts'

/** One case from people who run agents' commands in sandboxes, as a script for sh in which `vitrine` is the command line. */
interface Report {
  /** Its number, and what is wanted. */
  readonly name: string
  /** It runs in a fresh directory, which git does not take for a repository unless the script makes one. */
  readonly script: string
  /** A program that it needs. */
  readonly needs?: readonly string[]
  readonly env?: NodeJS.ProcessEnv
  /** What is seen of it. */
  readonly ran?: object
  check?(ran: Ran, directory: string): unknown
}

const home = new Home()
const outside = join(home.directory, 'outside')
mkdirSync(outside)

/** Longer than any of these commands may take: who waits for them fails by the test's own limit. */
const [long, left] = [makeMarker(), makeMarker()]

const absent = (path: string) => expect(existsSync(path), path).toBe(false)

const commands: readonly Report[] = [
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
  {
    name: 'R40 secrets of the environment do not pass; a URL with a password does in write mode, which is documented',
    env: { MY_API_KEY: 'secret-1', GH_TOKEN: 'secret-2', DATABASE_URL: 'postgres://u:pw@h/db', FOO: 'a b' },
    script: `git init -q .
      vitrine run --mode workspace -- env | grep -c 'secret-\\|pw@'
      vitrine run --write -- env | grep 'secret-[12]$\\|pw@'
      vitrine run -- 'tr "\\0" "\\n" < /proc/$PPID/environ' 2>/dev/null || echo refused`,
    ran: { stdout: '0\nDATABASE_URL=postgres://u:pw@h/db\nrefused\n' },
  },
  {
    name: 'R41 temporary files are private, and the shared directory is refused with a hint',
    needs: ['python3'],
    env: { OUTSIDE: outside },
    script: `git init -q .
      vitrine run --mode workspace -- 'f=$(mktemp) && test "\${f#"$TMPDIR"/}" != "$f" && echo private
        python3 -c "import os,tempfile; print(tempfile.mkdtemp().startswith(os.environ[\\"TMPDIR\\"]))"
        echo x > '"'$OUTSIDE'"'/vt-x'
      ls "$OUTSIDE"; TMPDIR=/nonexistent vitrine run --mode workspace -- true; echo $?`,
    check(ran) {
      expect(ran.stdout).toBe('private\nTrue\n125\n')
      expect(ran.stderr).toContain('refuses to create')
      expect(ran.stderr).toContain('/nonexistent')
    },
  },
  {
    name: 'R42 a listed address is reached by the proxy, and a name that leads to one is told to list it',
    needs: ['curl'],
    script: `cat > s.mjs <<'J'
import http from 'node:http'
const s = http.createServer((q, r) => r.end('pong\\n')).listen(0, '127.0.0.1', () => console.log(s.address().port))
J
      mkfifo up; node s.mjs > up & read -r port < up
      vitrine run --allow-host 127.0.0.1:$port -- curl -s http://127.0.0.1:$port/
      vitrine run --allow-host localhost:$port -- curl -sS http://localhost:$port/ >/dev/null
      kill $!`,
    ran: { stdout: 'pong\n', stderr: expect.stringContaining('list the address') },
  },
]

const repositories: readonly Report[] = [
  {
    name: 'R03 an empty .git above is no repository: what is above the directory stays',
    script: `mkdir -p top/.git top/proj; cd top/proj
      vitrine run --mode workspace -- 'echo x > ../written && echo WROTE'; echo x > ../own; ls ..`,
    ran: { stdout: 'own\nproj\n' },
  },
  {
    name: 'R21 commits in linked worktrees work; the hooks of their repository stay',
    script: `repository m; cd m; git commit -q --allow-empty -m 1; git worktree add -q ../w; mkdir .claude
      git worktree add -q .claude/worktrees/x
      for t in ../w .claude/worktrees/x; do
        (cd $t; echo 1 > f; vitrine run --mode workspace -- 'git add f && git commit -qm 2 && git log --oneline | wc -l')
      done
      cd ../w; vitrine run --mode workspace -- "echo x > '$d/m/.git/hooks/pre-commit'" 2>/dev/null; echo $?`,
    check(ran, directory) {
      expect(ran.stdout).toMatch(/^2\n2\n[1-9]\d*\n$/)
      absent(join(directory, 'm/.git/hooks/pre-commit'))
    },
  },
  {
    name: "R12 automatic gc ends with its command, and leaves nothing that keeps git's own from running",
    script: `repository .; git config gc.auto 1; for i in $(seq 1 700); do echo $i > f$i; done
      git add .; git -c gc.auto=0 commit -qm 1
      vitrine run --mode workspace -- 'echo z > z; git add z; git commit -qm z'
      git gc --auto -q --no-detach; find .git/objects -type f | wc -l`,
    check(ran, directory) {
      const left = readdirSync(join(directory, '.git')).filter((name) => name.startsWith('gc.'))
      expect(left).toEqual([])
      expect(Number(ran.stdout.trim().split('\n').at(-1))).toBeLessThan(50)
    },
  },
  {
    name: 'R25 switching a branch leaves what is protected as it is, which is documented',
    script: `repository .; mkdir -p .claude/commands .idea; echo a | tee .claude/commands/x.md .idea/y z >/dev/null
      git add -A; git commit -qm a; git switch -qc b; echo b | tee .claude/commands/x.md z >/dev/null
      git commit -qam b; git switch -q -
      vitrine run --mode workspace -- 'git switch -q b' 2>/dev/null; echo $?; git status -s`,
    ran: { stdout: '0\n M .claude/commands/x.md\n' },
  },
  {
    name: 'R26 protected names inside of packages are free, and a repository in vendor',
    script: `git init -q .
      vitrine run --mode workspace -- 'mkdir -p node_modules/x/.vscode node_modules/x/.idea && echo 1 > node_modules/x/.vscode/s.json && git init -q vendor/lib && echo ok'
      vitrine run --mode workspace -- 'mkdir .vscode' 2>/dev/null; echo $?`,
    check(ran, directory) {
      expect(ran.stdout).toMatch(/^ok\n[1-9]\d*\n$/)
      absent(join(directory, '.vscode'))
    },
  },
  {
    name: 'R47 links to directories of agents are as protected as these',
    script: `git init -q .; mkdir -p some/.agents .claude; ln -s some/.agents .agents; ln -s .claude .codex
      vitrine run --mode workspace -- 'echo 1 > f && echo ok; for x in .agents/n some/.agents/n .codex/n; do echo x > $x; done; rm .agents; mv some some2'
      ls -A . some some/.agents .claude`,
    check: (ran) =>
      expect(ran.stdout.replaceAll(/^\n/gm, '')).toBe(
        'ok\n.:\n.agents\n.claude\n.codex\n.git\nf\nsome\n.claude:\nsome:\n.agents\nsome/.agents:\n',
      ),
  },
  {
    name: 'R48 a repository with configurations of worktrees works, and they stay',
    script: `repository .; echo 1 > f; git add f; git commit -qm 1; git config extensions.worktreeConfig true
      git config --worktree a.b c
      vitrine run --mode workspace -- 'git status -sb >/dev/null; echo 2 > f; git commit -qam 2 && git log --oneline | wc -l'
      vitrine run --mode workspace -- 'git config --worktree a.b d' 2>/dev/null; git config a.b`,
    ran: { stdout: '2\nc\n' },
  },
]

/** `repository DIR`: a git repository with an author of its own. */
const known = `
repository() {
  git init -q "$1"
  git -C "$1" config user.email a@example.com
  git -C "$1" config user.name A
}
d=$PWD`

for (const [at, report] of [...commands, ...repositories].entries()) {
  const { name, script, needs = [], env = {}, ran: seen = {}, check } = report
  it.skipIf(!needs.every(isInstalled))(name, async () => {
    const directory = join(home.directory, `case ${at}`)
    mkdirSync(directory)
    const ran = await home.shell(`${known}\n${script}`, { cwd: directory, env })
    expect(ran).toMatchObject(seen)
    await check?.(ran, directory)
  })
}
