import { chmodSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type User, users } from '../../attacks/table.ts'
import { giveTo, whyNot } from '../../helpers/other-users.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { runAs } from '../../helpers/run-as.ts'
import { stateOf } from './protected.ts'

/** A repository, and beside it a directory with a file of the same name. */
function makePlace(user: User) {
  const parent = makeDirectory()
  const [work, outside] = [join(parent, 'work'), join(parent, 'outside')]
  mkdirSync(join(work, '.git'), { recursive: true })
  mkdirSync(join(outside, '.git'), { recursive: true })
  writeFileSync(join(outside, 'file'), 'outside')
  chmodSync(parent, 0o755)
  giveTo(user, parent)
  return { parent, work, outside }
}

/** By names that Landlock decides about and by names that the notifier acts on. */
const changes = (work: string) =>
  `echo x > ${work}/new; echo x > ${work}/file; mkdir ${work}/made; mv ${work}/file ${work}/moved; chmod 600 ${work}/file ${work}/moved; touch -d 2001-01-01 ${work}/file; rm -f ${work}/moved; ln -s x ${work}/link`

const replacements = {
  'by a link to a directory outside': ({ work, outside }: ReturnType<typeof makePlace>) =>
    symlinkSync(outside, work),
  'by a directory from outside': ({ work, outside }: ReturnType<typeof makePlace>) =>
    renameSync(outside, work),
}

const kinds = Object.entries(replacements)

/** Returns what is then reached by the workspace's path. */
function replace(place: ReturnType<typeof makePlace>, by: (typeof kinds)[number][1]) {
  renameSync(place.work, join(place.parent, 'away'))
  by(place)
  return stateOf(`${place.work}/`)
}

const able = users.filter((user) => process.platform === 'linux' && whyNot(user) === null)

describe.for(able)('a workspace that is replaced, as $name', (user) => {
  it.for(kinds)('%s while a command runs: the command changes nothing in the other', async ([, by]) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace(user)
      const command = `touch started; while ! test -e ../go; do sleep 0.05; done; ${changes(place.work)}`
      const running = runAs(user, { options: { cwd: place.work, mode }, commands: [['sh', '-c', command]] })
      expect(await waitFor(() => readdirSync(place.work).includes('started'))).toBe(true)
      const before = replace(place, by)
      writeFileSync(join(place.parent, 'go'), '')
      await running
      expect(isDeepStrictEqual(stateOf(`${place.work}/`), before)).toBe(mode === 'workspace')
    }
  })
})

describe.runIf(process.platform === 'linux')('a workspace that is replaced', () => {
  it('by a link between two commands: the second changes nothing outside', async () => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace(users[0] as User)
      const shell = await openTestShell({ cwd: place.work, mode })
      await shell.execute({ command: 'true' })
      const before = replace(place, replacements['by a link to a directory outside'])
      await shell.execute({ command: changes(place.work), cwd: place.parent }).catch(() => {})
      expect(isDeepStrictEqual(stateOf(`${place.work}/`), before)).toBe(mode === 'workspace')
    }
  })
})
