import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { Home } from '../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { readable } from '../helpers/programs.ts'

interface Place {
  /** A repository: the workspace. */
  readonly work: string
  /** Beside it: nothing may change there. */
  readonly outside: string
}

interface Escape {
  /** As docs/security/workspace.md names it. */
  readonly id: string
  readonly how: string
  prepare?(place: Place): void
  /** A line for sh. It is harmless if it succeeds: the place is thrown away. */
  line(place: Place): string
  /** Where the line runs; the workspace stays the same. */
  cwd?(place: Place): string
  /** A path that exists, or has another content, after it has succeeded. */
  victim(place: Place): string
}

const victim = ({ outside }: Place) => join(outside, 'victim')
const inWork = (name: string) => (place: Place) => join(place.work, name)

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a', ...args], { cwd, stdio: 'ignore' })
}

function making(name: string): Pick<Escape, 'line' | 'victim'> {
  return { line: () => `mkdir -p ${dirname(name)} && echo x > ${name}`, victim: inWork(name) }
}

const linked = (place: Place) => symlinkSync(place.outside, join(place.work, 'link'))

function nested(name: string): (place: Place) => void {
  return ({ work }) => {
    mkdirSync(join(work, name), { recursive: true })
    git(join(work, name), 'init', '-q')
  }
}

const escapes: readonly Escape[] = [
  { id: 'CVE-2026-25725', how: 'makes absent settings with hooks', ...making('.claude/settings.json') },
  { id: 'CVE-2026-25725', how: 'makes absent local settings', ...making('.claude/settings.local.json') },
  {
    id: 'CVE-2026-25725',
    how: 'moves a directory with the settings into place',
    line: () => 'mkdir d && echo x > d/settings.json && mv d .claude',
    victim: inWork('.claude/settings.json'),
  },
  { id: 'CVE-2026-48124', how: 'makes hooks of another agent', ...making('.cursor/hooks.json') },
  { id: 'CVE-2026-48124', how: 'makes a server of another agent', ...making('.mcp.json') },
  { id: 'CVE-2026-26268', how: 'makes a git hook', ...making('.git/hooks/pre-commit') },
  {
    id: 'CVE-2026-26268',
    how: 'sets core.hooksPath',
    line: () => 'git config core.hooksPath evil && cp .git/config .git/taken',
    victim: inWork('.git/taken'),
  },
  {
    id: 'CVE-2026-19592',
    how: 'sets core.fsmonitor',
    line: () => 'printf "[core]\\n\\tfsmonitor = evil\\n" >> .git/config && : > .git/taken',
    victim: inWork('.git/taken'),
  },
  {
    id: 'CVE-2026-19593',
    how: 'sets a filter, and the attributes that select it',
    line: () => 'echo "* filter=evil" > .git/info/attributes',
    prepare: ({ work }) => mkdirSync(join(work, '.git/info'), { recursive: true }),
    victim: inWork('.git/info/attributes'),
  },
  {
    id: 'CVE-2026-55607',
    how: 'leads the .git file of a worktree to a directory of its own',
    prepare: ({ work }) => {
      git(work, 'commit', '-q', '--allow-empty', '-m', '1')
      git(work, 'worktree', 'add', '-q', 'tree')
    },
    line: () => 'cp -r .git fake && echo "gitdir: ../fake" > .git/worktrees/tree/commondir && : > .git/taken',
    victim: inWork('.git/taken'),
  },
  {
    id: 'CVE-2026-55607',
    how: 'takes a directory outside for its git directory',
    prepare: ({ work, outside }) => {
      execFileSync('rm', ['-rf', join(work, '.git')])
      mkdirSync(join(outside, 'other'))
      git(join(outside, 'other'), 'init', '-q')
      writeFileSync(join(work, '.git'), `gitdir: ${join(outside, 'other/.git')}\n`)
    },
    line: () =>
      'git -c user.name=A -c user.email=a commit -q --allow-empty -m x && echo x > $(git rev-parse --git-dir)/victim',
    victim: ({ outside }) => join(outside, 'other/.git/victim'),
  },
  {
    id: 'CVE-2026-39861',
    how: 'makes a link that leads outside, and writes by it',
    line: ({ outside }) => `ln -s ${outside} out && echo x > out/victim`,
    victim,
  },
  {
    id: 'CVE-2026-39861',
    how: 'makes a link to a file that does not exist outside',
    line: ({ outside }) => `ln -s ${outside}/victim out && echo x > out`,
    victim,
  },
  {
    id: 'CVE-2026-50549',
    how: 'writes by a link that is there',
    prepare: linked,
    line: () => 'echo x > link/victim',
    victim,
  },
  {
    id: 'CVE-2026-50549',
    how: 'writes by .. behind a link',
    prepare: ({ work, outside }) => {
      mkdirSync(join(outside, 'deep'))
      symlinkSync(join(outside, 'deep'), join(work, 'link'))
    },
    line: () => 'echo x > link/../victim',
    victim,
  },
  {
    id: 'sandlock-112',
    how: 'has a link followed by the thread that acts for it',
    prepare: linked,
    line: () =>
      'mkdir link/victim || mv f link/victim || ln f link/victim || touch link/victim || truncate -s 1 link/victim',
    victim,
  },
  {
    id: 'CVE-2026-88968',
    how: 'exchanges a directory for a link while it is written to',
    line: ({ outside }) => `mkdir d
(while :; do echo x > d/victim; done) 2>/dev/null &
n=0; while [ $n -lt 100 ] && [ ! -e ${outside}/victim ]; do mv d e && ln -s ${outside} d && rm d && mv e d; n=$((n + 1)); done 2>/dev/null
kill $!`,
    victim,
  },
  {
    id: 'CVE-2026-50548',
    how: 'chooses another working directory',
    cwd: ({ outside }) => outside,
    line: () => 'echo x > victim',
    victim,
  },
  {
    id: 'CVE-2025-59532',
    how: 'chooses a directory above the workspace',
    cwd: ({ work }) => dirname(work),
    line: () => 'git init -q . ; echo x > outside/victim',
    victim,
  },
  {
    id: 'codex-37081',
    how: 'makes a hook of a repository below the workspace',
    prepare: nested('sub'),
    ...making('sub/.git/hooks/pre-commit'),
  },
  {
    id: 'codex-37081',
    how: 'makes a hook of a repository two levels below',
    prepare: nested('vendor/sub'),
    ...making('vendor/sub/.git/hooks/pre-commit'),
  },
  {
    id: 'CVE-2025-61260',
    how: 'makes the configuration of vitrine in the project',
    // Spelled so that the policy of write mode does not refuse it.
    line: () => 'n=.vitrine; echo x > $n.toml',
    victim: inWork('.vitrine.toml'),
  },
  { id: 'CVE-2026-12537', how: 'makes settings that a later run obeys', ...making('.gemini/settings.json') },
]

function makePlace(prepare?: Escape['prepare']): Place {
  const parent = makeDirectory()
  const place = { work: join(parent, 'work'), outside: join(parent, 'outside') }
  for (const path of [place.work, place.outside]) mkdirSync(path)
  git(place.work, 'init', '-q', '--template=')
  writeFileSync(join(place.work, 'f'), 'x')
  prepare?.(place)
  return place
}

/** Whether the victim exists after the line; it is as it was otherwise. */
async function succeeds(row: Escape, mode: Mode): Promise<boolean> {
  const place = makePlace(row.prepare)
  const path = row.victim(place)
  expect(existsSync(path)).toBe(false)
  const shell = await openTestShell({ cwd: place.work, mode })
  const cwd = row.cwd?.(place) ?? place.work
  await shell.execute({ command: row.line(place), cwd }).catch(() => {})
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
    const made = async (mode: Mode) => {
      const { work } = makePlace()
      await (await openTestShell({ cwd: work, mode })).execute({ command: line })
      return existsSync(join(work, 'victim'))
    }
    expect([await made('read'), await made('write')]).toEqual([false, true])
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

  async function runAll(place: Place, env: NodeJS.ProcessEnv = {}): Promise<void> {
    const home = new Home()
    for (const args of commands) await home.run(args, { cwd: place.work, env })
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
    writeFileSync(join(place.work, 'f'), 'changed')
    await runAll(place)
    expect(existsSync(victim(place))).toBe(false)
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
    const tried = new Set(own.match(/(?:CVE-\d+-\d+|codex-\d+|sandlock-\d+)(?=[':])/g))
    expect([...named].sort()).toEqual([...tried].sort())
    expect(readdirSync(join(readable, 'docs/security'))).toContain('workspace.md')
  })
})
