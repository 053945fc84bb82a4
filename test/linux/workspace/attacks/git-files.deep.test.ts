import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { User } from '../../../attacks/table.ts'
import { credentials } from '../../../helpers/other-users.ts'
import { makeWorkspace } from '../protected.ts'
import { py, type Row, shell } from '../protected-rows.ts'
import { describeAttacks, type Place } from './attack.ts'

/** A workspace made by that script, which runs as the user in a repository. */
function placeOf(script: string, directory = '.'): Place {
  return {
    ground(user: User) {
      const repository = makeWorkspace(user)
      const env = { PATH: process.env['PATH'], HOME: join(repository, '..'), GIT_CONFIG_NOSYSTEM: '1' }
      execFileSync('sh', ['-ec', script], { cwd: repository, env, ...credentials(user), stdio: 'pipe' })
      const cwd = join(repository, directory)
      return { cwd, seen: cwd }
    },
  }
}

const RENAME_EXCHANGE = 2

const acts = (file: string): Row[] => [
  ...shell(`
echo 'gitdir: ../outside' > ${file}
echo x >> ${file}
rm ${file}
rm ${file}; mkdir ${file}
mv ${file} elsewhere
mv src/main.c ${file}
mv -T src ${file}; rm ${file}; mv -T src ${file}
ln -f src/main.c ${file}
ln -sfn src ${file}
ln ${file} src/got && echo x >> src/got
chmod 600 ${file}
touch -d 2001-01-01 ${file}
truncate -s 0 ${file}
`),
  py(
    'renameat2 with RENAME_EXCHANGE',
    `open("here", "w"); call(RENAMEAT2, AT, "here", AT, "${file}", ${RENAME_EXCHANGE})`,
  ),
]

const rows = (file: string): Row[] =>
  acts(file).map((row) => ({
    ...row,
    look: ['sh', '-c', `stat -c '%i %f %h %s %y %z' ${file}; [ ! -f ${file} ] || cat ${file}`],
  }))

describeAttacks(
  'the git file of a linked worktree stays',
  rows('.git'),
  placeOf('git worktree add -q --detach ../linked', '../linked'),
)

describeAttacks(
  'the git file of a submodule stays',
  [
    ...rows('sub/.git'),
    ...shell(`
mv sub elsewhere
rm -rf sub
`).map((row) => ({ ...row, look: ['sh', '-c', 'stat -c %i sub; cat sub/.git || true'] })),
  ],
  placeOf(
    'git -c protocol.file.allow=always submodule --quiet add "$PWD" sub && git commit -qmsub --no-verify',
  ),
)

const paths = ['.git/hooks/bound', '../outside/bound', '.vitrine.toml', 'src/objects', 'src/refs', 'src/.git']

describeAttacks(
  'sockets are not bound at protected names, at what git looks for, or outside',
  paths.map((path) => ({
    ...py(`bind at ${path}`, `socket.socket(socket.AF_UNIX).bind("${path}")`),
    look: ['sh', '-c', `ls ${path} || true`],
  })),
)
