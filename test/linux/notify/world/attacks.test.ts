import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../../src/base/types.ts'
import { users } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { runAs } from '../../../helpers/run-as.ts'
import { fixture, noPython, python } from './world.ts'

/** What only the sandbox makes possible to try. */
const neverOutside = ['a_listener_turned_elsewhere', 'an_address_that_changes', 'a_unix_path_that_changes']
const byCapability = [
  'a_transparent_proxy',
  'a_transparent_ipv6_proxy',
  'a_mark_for_routes',
  'a_connection_that_is_repaired',
  'a_setting_of_an_interface',
]
const bySameUser = [
  'a_share_of_its_port',
  'anothers_shared_memory_by_a_hard_link',
  'anothers_terminal_by_its_master',
  'anothers_terminal_by_proc',
  'the_mark_of_another_process',
]

/** Each user tries the services of its own, and the ordinary one root's, too. */
const cases = [
  ...users.map((user) => ({ ...user, user, owner: user, of: 'its user' })),
  ...users
    .slice(1)
    .flatMap((user) => users.slice(0, 1).map((owner) => ({ ...user, user, owner, of: owner.name }))),
]

/** What fails outside, too. */
function withoutControl({ user, owner }: (typeof cases)[number]): readonly string[] {
  if (user.uid === 0) return neverOutside
  return [...neverOutside, ...byCapability, ...(user === owner ? [] : bySameUser)]
}

describe.skipIf(noPython).for(cases)(
  'what a command of $name with sockets of its own reaches of other processes of $of',
  (tried) => {
    const { user, owner } = tried
    const place = makeDirectory()
    const outside = makeDirectory()
    let victims: ChildProcess
    let control: string
    let held: Result

    beforeAll(async () => {
      for (const directory of [place, outside]) chmodSync(directory, 0o777)
      for (const name of ['attempts.py', 'victims.py']) cpSync(fixture(name), join(place, name))
      execFileSync('git', ['init', '-q', place])
      execFileSync('chmod', ['-R', 'a+rwX', place])
      const { uid, gid } = user
      const paths = [join(place, 'victims.py'), join(place, 'inside.sock'), join(outside, 'outside.sock')]
      victims = spawn(python, paths, {
        uid: owner.uid,
        gid: owner.gid,
        cwd: '/',
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      const [json] = await once(victims.stdout as NodeJS.ReadableStream, 'data')
      const command = [python, join(place, 'attempts.py'), String(json)]
      const free = {
        uid,
        gid,
        cwd: place,
        env: { TMPDIR: makeOpen(), TRIES: '20' },
        encoding: 'utf8',
      } as const
      control = spawnSync(python, command.slice(1), free).stdout
      ;[held] = (await runAs(user, {
        options: { mode: 'workspace', cwd: place },
        commands: [command],
        timeoutMs: 170_000,
      })) as [Result]
    }, 300_000)

    afterAll(async () => {
      victims.stdin?.end()
      await once(victims, 'exit')
    })

    it('nothing', () => {
      const reached = held.stdout.split('\n').filter((line) => line.endsWith(' reached'))
      expect(reached).toEqual([])
      expect(linesOf(held.stdout)).toEqual(linesOf(control))
    })

    it('though each attempt succeeds without vitrine', () => {
      const failed = control.split('\n').filter((line) => line && !line.endsWith(' reached'))
      expect(
        failed
          .map((line) => line.split(' ')[0])
          .filter((name) => !withoutControl(tried).includes(name ?? '')),
      ).toEqual([])
    })

    it('and is told which address, in the result', () => {
      expect(held.denials).toContainEqual(
        expect.objectContaining({
          operation: 'connect',
          address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
        }),
      )
    })
  },
)

function makeOpen(): string {
  const directory = makeDirectory()
  chmodSync(directory, 0o777)
  return directory
}

function linesOf(output: string): string[] {
  return output.split('\n').map((line) => line.split(' ')[0] ?? '')
}
