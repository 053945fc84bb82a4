import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { Home } from '../cli/vitrine.ts'
import { gitEnvironment } from '../helpers/git.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { readable } from '../helpers/programs.ts'

interface Place {
  /** A repository: the workspace. */
  readonly work: string
  /** Beside it: nothing may change there. */
  readonly outside: string
}

/** What a table below has of each, beside how docs/security/workspace.md names it. */
interface Escape {
  /** Run in the workspace before. */
  readonly before?: string
  /** A line for sh. It is harmless if it succeeds: the place is thrown away. */
  readonly line: string
  /** Where the line runs; the workspace stays the same. */
  readonly in?: string
  /** A path that exists after it has succeeded. */
  readonly victim: string
}

const victim = ({ outside }: Place) => join(outside, 'victim')

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a', ...args], { cwd, stdio: 'ignore' })
}

/** Of each: what happens before; where; the victim and the line. Without a line the victim is made. Paths are relative to the workspace. */
const escapes = String.raw`
CVE-2026-25725 makes absent settings with hooks
  .claude/settings.json:
CVE-2026-25725 makes absent local settings
  .claude/settings.local.json:
CVE-2026-25725 moves a directory with the settings into place
  .claude/settings.json: mkdir d && echo x > d/settings.json && mv d .claude
CVE-2026-48124 makes hooks of another agent
  .cursor/hooks.json:
CVE-2026-48124 makes a server of another agent
  .mcp.json:
CVE-2026-26268 makes a git hook
  .git/hooks/pre-commit:
CVE-2026-26268 sets core.hooksPath
  .git/taken: git config core.hooksPath evil && cp .git/config .git/taken
CVE-2026-19592 sets core.fsmonitor
  .git/taken: printf "[core]\n\tfsmonitor = evil\n" >> .git/config && : > .git/taken
CVE-2026-19593 sets a filter, and the attributes that select it
  before: mkdir -p .git/info
  .git/info/attributes: echo "* filter=evil" > .git/info/attributes
CVE-2026-55607 leads the .git file of a worktree to a directory of its own
  before: git commit -q --allow-empty -m 1; git worktree add -q tree
  .git/taken: cp -r .git fake && echo "gitdir: ../fake" > .git/worktrees/tree/commondir && : > .git/taken
CVE-2026-55607 takes a directory outside for its git directory
  before: rm -rf .git; mkdir ../outside/other; git -C ../outside/other init -q; echo "gitdir: OUTSIDE/other/.git" > .git
  ../outside/other/.git/victim: git -c user.name=A -c user.email=a commit -q --allow-empty -m x && echo x > $(git rev-parse --git-dir)/victim
CVE-2026-39861 makes a link that leads outside, and writes by it
  ../outside/victim: ln -s OUTSIDE out && echo x > out/victim
CVE-2026-39861 makes a link to a file that does not exist outside
  ../outside/victim: ln -s OUTSIDE/victim out && echo x > out
CVE-2026-50549 writes by a link that is there
  before: ln -s ../outside link
  ../outside/victim: echo x > link/victim
CVE-2026-50549 writes by .. behind a link
  before: mkdir ../outside/deep; ln -s ../outside/deep link
  ../outside/victim: echo x > link/../victim
sandlock-112 has a link followed by the thread that acts for it
  before: ln -s ../outside link
  ../outside/victim: mkdir link/victim || mv f link/victim || ln f link/victim || touch link/victim || truncate -s 1 link/victim
CVE-2026-88968 exchanges a directory for a link while it is written to
  ../outside/victim: mkdir d; (while :; do echo x > d/victim; done) 2>/dev/null & n=0; while [ $n -lt 100 ] && [ ! -e OUTSIDE/victim ]; do mv d e && ln -s OUTSIDE d && rm d && mv e d; n=$((n + 1)); done 2>/dev/null; kill $!
CVE-2026-50548 chooses another working directory
  in: ../outside
  ../outside/victim: echo x > victim
CVE-2025-59532 chooses a directory above the workspace
  in: ..
  ../outside/victim: git init -q . ; echo x > outside/victim
codex-37081 makes a hook of a repository below the workspace
  before: git init -q sub
  sub/.git/hooks/pre-commit:
codex-37081 makes a hook of a repository two levels below
  before: git init -q vendor/sub
  vendor/sub/.git/hooks/pre-commit:
CVE-2025-61260 makes the configuration of vitrine in the project, spelled so that write mode's policy allows it
  .vitrine.toml: n=.vitrine; echo x > $n.toml
CVE-2026-12537 makes settings that a later run obeys
  .gemini/settings.json:
`
  .trim()
  .split(/\n(?=\S)/)
  .map((block) => {
    const [title = '', ...fields] = block.split('\n  ')
    const [, id = '', how = ''] = /^(\S+) (.*)$/.exec(title) ?? []
    const values = fields.map((field) => field.split(/:(?: |$)(.*)/s))
    const [path = '', line = ''] = values.at(-1) ?? []
    const make = `mkdir -p ${dirname(path)} && echo x > ${path}`
    const row: Escape = { ...Object.fromEntries(values.slice(0, -1)), victim: path, line: line || make }
    return { id, how, ...row }
  })

function makePlace(before = ''): Place {
  const parent = makeDirectory()
  const place = { work: join(parent, 'work'), outside: join(parent, 'outside') }
  for (const path of [place.work, place.outside]) mkdirSync(path)
  git(place.work, 'init', '-q', '--template=')
  writeFileSync(join(place.work, 'f'), 'x')
  const env = { ...process.env, ...gitEnvironment(parent) }
  const script = before.replaceAll('OUTSIDE', place.outside)
  execFileSync('sh', ['-ec', script], { cwd: place.work, env, stdio: 'ignore' })
  return place
}

/** Whether the victim exists after the line. */
async function succeeds(row: Escape, mode: Mode): Promise<boolean> {
  const { work, outside } = makePlace(row.before)
  const path = join(work, row.victim)
  expect(existsSync(path)).toBe(false)
  const shell = await openTestShell({ cwd: work, mode })
  const command = row.line.replaceAll('OUTSIDE', outside)
  await shell.execute({ command, cwd: join(work, row.in ?? '.') }).catch(() => {})
  return existsSync(path)
}

describe('a published escape of another sandbox', () => {
  it.each(escapes)('$id: $how', async (row) => {
    expect({
      read: await succeeds(row, 'read'),
      workspace: await succeeds(row, 'workspace'),
      write: await succeeds(row, 'write'),
    }).toEqual({ read: false, workspace: false, write: true })
  })

  /** What checks of the line took for reading. The operating system does not read it. */
  const lines = [
    `echo${'{IFS}'}x>victim`,
    'sed -n "1w victim" f',
    'sort -o victim f',
    'find . -maxdepth 0 -fprint victim',
    'git log --output=victim; git diff --no-index --output=victim f /dev/null',
    'awk \'BEGIN { print > "victim" }\' f',
    'xargs -I{} sh -c "echo > victim" < f',
    'env -S "sh -c" "touch victim"',
    'printf x | tee victim',
    '$(echo dG91Y2ggdmljdGlt | base64 -d)',
  ]
  it.each(lines)('CVE-2025-66032: a line that looks harmless changes nothing: %s', async (line) => {
    const row = { victim: 'victim', line }
    expect([await succeeds(row, 'read'), await succeeds(row, 'write')]).toEqual([false, true])
  })

  it('CVE-2026-22708: what a held line exports is not there for a command without a sandbox', async () => {
    const place = makePlace()
    const evil = join(place.work, 'evil')
    mkdirSync(evil)
    writeFileSync(join(evil, 'git'), `#!/bin/sh\necho x > ${victim(place)}\n`, { mode: 0o755 })
    const shell = await openTestShell({ cwd: place.work, mode: 'workspace' })
    const poison = `export PATH=${evil}:$PATH GIT_EXTERNAL_DIFF=${evil}/git; alias ls=${evil}/git; ls() { ${evil}/git; }`
    await shell.execute({ command: poison })
    shell.mode = 'write'
    await shell.execute({ command: 'git status; git diff; ls' })
    expect(existsSync(victim(place))).toBe(false)
    await shell.execute({ command: `${poison}; git status` })
    expect(existsSync(victim(place))).toBe(true)
  })
})

describe('what a project brings along does not run when vitrine starts in it', () => {
  /** Each command of the command line that runs nothing without a sandbox. */
  const commands = [
    ['run', '--', 'git status; git diff; git log'],
    ['run', '--mode', 'workspace', '--', 'git status; git add f; git diff'],
    ['policy', 'check', '--write', '--', 'git status'],
    ['config', 'show'],
  ]

  async function runAll(place: Place): Promise<void> {
    const home = new Home()
    for (const args of commands) await home.run(args, { cwd: place.work })
  }

  const configs = {
    'CVE-2026-19592: core.fsmonitor': (script: string) => `[core]\n\tfsmonitor = ${script}\n`,
    'CVE-2026-19593: a filter that attr.tree selects': (script: string) =>
      `[attr]\n\ttree = HEAD\n[filter "evil"]\n\tclean = ${script}\n\tprocess = ${script}\n`,
  }

  it.each(Object.entries(configs))('%s', async (_, config) => {
    const place = makePlace()
    const script = join(place.work, 'evil')
    writeFileSync(join(place.work, '.gitattributes'), '* filter=evil\n')
    git(place.work, 'add', '.')
    git(place.work, 'commit', '-q', '-m', '1')
    writeFileSync(script, `#!/bin/sh\necho x > ${victim(place)}\n`, { mode: 0o755 })
    writeFileSync(join(place.work, '.git/config'), config(script), { flag: 'a' })
    // Git asks a filter about a file of the same size whose time is not the index's: it may be unchanged.
    const change = (time: number) => {
      writeFileSync(join(place.work, 'f'), 'y')
      utimesSync(join(place.work, 'f'), time, time)
    }
    change(1)
    await runAll(place)
    expect(existsSync(victim(place))).toBe(false)
    change(2)
    spawnSync('git', ['status'], { cwd: place.work })
    expect(existsSync(victim(place))).toBe(true)
  })

  it('CVE-2025-61260: .env that moves the configuration into the project', async () => {
    const place = makePlace()
    mkdirSync(join(place.work, 'own/vitrine'), { recursive: true })
    writeFileSync(join(place.work, 'own/vitrine/config.toml'), '[shell]\nmode = "write"\n')
    writeFileSync(join(place.work, '.env'), `XDG_CONFIG_HOME=${place.work}/own\nVITRINE_SHELL_MODE=write\n`)
    const home = new Home()
    const run = (env: NodeJS.ProcessEnv) =>
      home.run(['run', '--', `echo x > ${victim(place)}`], { cwd: place.work, env })
    await run({})
    expect(existsSync(victim(place))).toBe(false)
    await run({ XDG_CONFIG_HOME: join(place.work, 'own') })
    expect(existsSync(victim(place))).toBe(true)
  })

  it('CVE-2026-12537: a configuration of the project that is not trusted', async () => {
    const place = makePlace()
    const program = join(place.outside, 'sh')
    writeFileSync(program, `#!/bin/sh\ntouch ${victim(place)}\n`, { mode: 0o755 })
    const toml = `[shell]\nmode = "write"\nprogram = "${program}"\n[policy]\npreset = "open"\n`
    writeFileSync(join(place.work, '.vitrine.toml'), toml)
    await runAll(place)
    expect(existsSync(victim(place))).toBe(false)
    const home = new Home()
    home.configure(toml)
    rmSync(join(place.work, '.vitrine.toml'))
    await home.run(['run', '--', 'true && true'], { cwd: place.work })
    expect(existsSync(victim(place))).toBe(true)
  })
})

describe('docs/security/workspace.md', () => {
  it('names each of them, and nothing else', () => {
    const docs = readFileSync(join(readable, 'docs/security/workspace.md'), 'utf8')
    const named = new Set(docs.match(/CVE-\d+-\d+|codex-\d+|sandlock-\d+/g))
    const own = readFileSync(import.meta.filename, 'utf8')
    const tried = new Set(own.match(/(?:CVE-\d+-\d+|codex-\d+|sandlock-\d+)(?=[: ])/g))
    expect([...named].sort()).toEqual([...tried].sort())
  })
})
