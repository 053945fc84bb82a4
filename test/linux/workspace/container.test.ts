import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled, repository } from '../../helpers/programs.ts'
import { toldBy, writeTeller } from '../notify/tellers.ts'

/** asm/unistd_64.h, asm-generic/unistd.h: what the filters of containers refuse without CAP_SYS_ADMIN and CAP_SYS_PTRACE. */
const refusedCalls = [process.arch === 'x64' ? 272 : 97, 438]

/** What a command in workspace mode tells under such a filter. */
function tellInContainer(command: string, cwd: string) {
  const home = makeDirectory()
  const program = join(repository, 'test/fixtures/host/refusing-calls.py')
  const filters = refusedCalls.flatMap((call) =>
    ['python3', program, constants.errno.EPERM, call, call].map(String),
  )
  const teller = writeTeller(home, command, { mode: 'workspace', cwd })
  const [first = '', ...argv] = [...filters, process.execPath, teller]
  return toldBy(execFileSync(first, argv, { encoding: 'utf8', env: { ...process.env, HOME: home } }))
}

describe.skipIf(process.platform !== 'linux' || !isInstalled('python3'))(
  'where a container refuses unshare',
  () => {
    it('entries are made with the umask of the command, and the host keeps its own', () => {
      const [workspace, before] = [makeDirectory(), process.umask()]
      const command =
        'umask 0; mkdir open; echo x > file; (umask 077; mkdir closed; mknod fifo p); umask 027; mkdir group'
      expect(tellInContainer(command, workspace).result).toMatchObject({ exitCode: 0, denials: [] })
      const modeOf = (name: string) => (statSync(join(workspace, name)).mode & 0o777).toString(8)
      expect(['open', 'file', 'closed', 'fifo', 'group'].map(modeOf)).toEqual([
        '777',
        '666',
        '700',
        '600',
        '750',
      ])
      expect(process.umask()).toBe(before)
    })

    it('nothing changes outside, and protected names stay free', () => {
      const [workspace, outside] = [makeDirectory(), makeDirectory()]
      const { result } = tellInContainer(
        `echo x > ${outside}/a; ln -s ${outside} l; echo x > l/b; mkdir .vscode`,
        workspace,
      )
      expect(result.denials.map(({ path }) => path)).toEqual([
        `${outside}/a`,
        `${outside}/b`,
        `${workspace}/.vscode`,
      ])
      expect(readdirSync(outside)).toEqual([])
      expect(existsSync(join(workspace, '.vscode'))).toBe(false)
    })

    it('a FIFO is opened when its other end is', () => {
      const { result } = tellInContainer('mkfifo f; cat f & echo through > f; wait', makeDirectory())
      expect(result).toMatchObject({ exitCode: 0, stdout: 'through\n' })
    })
  },
)
