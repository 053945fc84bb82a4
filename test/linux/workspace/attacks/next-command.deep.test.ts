import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { giveTo, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runTasksAs } from '../../../helpers/run-as.ts'

const fixture = `
git init -q . && git config core.hooksPath .githooks && git config include.path ../conf/git
mkdir .githooks conf; echo '#!/bin/sh' > .githooks/pre-commit
printf '[core]\\nattributesFile = attributes\\n' > conf/git; echo '# none' > attributes
mkdir -p .git/worktrees/tree; echo ../.. > .git/worktrees/tree/commondir
git init -q sub
`

/** What one command does so that vitrine does not find a path before the next one, which then changes it. */
const rows = [
  ['shuts .git', 'chmod 000 .git', '.githooks/pre-commit'],
  ['shuts .git/worktrees', 'chmod 000 .git/worktrees', '.git/worktrees/tree/commondir'],
  [
    'makes a shut directory of worktrees',
    'cd sub/.git && mkdir -m 311 worktrees && mkdir worktrees/tree && echo ../.. > worktrees/tree/commondir',
    'sub/.git/worktrees/tree/commondir',
  ],
  ['shuts the directory of a repository', 'chmod 0 sub', 'sub/.git/config'],
  ['shuts the directory of an included file', 'chmod u-rx conf', 'attributes'],
  ['makes many repositories', 'for i in $(seq 300); do mkdir -p "made$i/.git"; done', 'sub/.git/config'],
  ['makes many directories', 'seq 3000 | sed s/^/made/ | xargs mkdir', 'sub/.git/config'],
] as const

const modes = ['workspace', 'write'] as const
const opens = 'chmod -R u+rwx .git .git/worktrees sub conf 2>/dev/null;'

function begin(user: User): string {
  const parent = makeDirectory()
  const cwd = join(parent, 'work')
  chmodSync(parent, 0o755)
  mkdirSync(cwd)
  execFileSync('sh', ['-ec', fixture], {
    cwd,
    env: { ...process.env, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'pipe',
  })
  giveTo(user, cwd)
  return cwd
}

async function tryAs(user: User, mode: (typeof modes)[number]): Promise<boolean[]> {
  const attempts = rows.map(([, first, path]) => ({ cwd: begin(user), first, path }))
  const tasks = attempts.map(({ cwd, first, path }) => ({
    options: { mode, cwd },
    mayBeRefused: true,
    commands: [first, `${opens} echo changed >> ${path}`].map((line) => ['sh', '-c', line]),
  }))
  await runTasksAs(user, tasks)
  execFileSync('chmod', ['-R', 'u+rwX', ...attempts.map(({ cwd }) => cwd)])
  return attempts.map(({ cwd, path }) => readFileSync(join(cwd, path), 'utf8').includes('changed'))
}

describe.for(users.filter((user) => process.platform === 'linux' && whyNot(user) === null))(
  'a command that prepares for the next one, as $name',
  (user) => {
    const changed = new Map<string, readonly boolean[]>()

    beforeAll(async () => {
      for (const mode of modes) changed.set(mode, await tryAs(user, mode))
    }, 300_000)

    it.for(rows.map(([name], at) => [name, at] as const))('%s', ([, at]) => {
      expect(modes.map((mode) => changed.get(mode)?.[at])).toEqual([false, true])
    })
  },
)
