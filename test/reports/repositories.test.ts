import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { isInstalled } from '../helpers/programs.ts'
import { type Report, reports } from './case.ts'

const absent = (path: string) => expect(existsSync(path), path).toBe(false)

const layouts: readonly Report[] = [
  {
    name: 'R03 an empty .git above is no repository: what is above the directory stays',
    script: `mkdir -p top/.git top/proj; cd top/proj
      vitrine run --mode workspace -- 'echo x > ../written && echo WROTE'; echo x > ../own; ls ..`,
    ran: { stdout: 'own\nproj\n' },
  },
  {
    name: 'R04 a git directory behind a link is not advised to be opened, and not open where it is listed',
    script: `git init -q p; mkdir meta; mv p/.git meta/p.git; ln -s ../meta/p.git p/.git; cd p; echo 1 > f
      git config user.email a@example.com; git config user.name A
      vitrine run --mode workspace -- 'git add f && git commit -qm 1'
      printf '[workspace]\\nwritable = ["%s"]\\n' "$d/meta/p.git" > "$d/c.toml"
      vitrine run --config "$d/c.toml" --mode workspace -- 'echo "exit 1" > .git/hooks/pre-commit && echo OPEN'
      vitrine run --config "$d/c.toml" --mode workspace -- 'git config core.fsmonitor evil && echo OPEN'
      git config core.fsmonitor`,
    check(ran, directory) {
      expect(ran.stdout).toBe('')
      expect(ran.stderr).not.toMatch(/add \S*p\.git to \[workspace\] writable/)
      absent(join(directory, 'meta/p.git/hooks/pre-commit'))
    },
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
    name: 'R28 a push to a repository in writable works; the upstream is not stored',
    script: `repository m; git -C m commit -q --allow-empty -m 1; git clone -q --bare m r.git; git clone -q r.git c; cd c
      git switch -qc feat; printf '[workspace]\\nwritable = ["%s"]\\n' "$d/r.git" > "$d/c.toml"
      vitrine run --config "$d/c.toml" --mode workspace -- 'git push -q -u origin feat' >/dev/null 2>&1; echo $?
      git -C ../r.git branch --list feat; git config branch.feat.remote || echo no upstream`,
    ran: { stdout: '0\n  feat\nno upstream\n' },
  },
]

const insides: readonly Report[] = [
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

reports(new Home(), [...layouts, ...insides], isInstalled)
