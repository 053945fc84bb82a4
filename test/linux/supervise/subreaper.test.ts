import { describe, expect, it } from 'vitest'
import { users } from '../../attacks/table.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { runAs } from '../../helpers/run-as.ts'

// linux/prctl.h: PR_SET_CHILD_SUBREAPER is 36. It lasts over execve(2).
const subreaper = [
  'python3',
  '-c',
  'import ctypes, os, sys; ctypes.CDLL(None).prctl(36, 1, 0, 0, 0); os.execv(sys.argv[1], sys.argv[1:])',
]

/** Says which zombies the host has, once it has none or patience ends. */
const zombies = `
look() { cat /proc/[0-9]*/stat 2> /dev/null | grep "^[0-9]* ([^)]*) Z $PPID "; }
i=0; while look > /dev/null && [ $i -lt 100 ]; do sleep 0.1; i=$((i + 1)); done
look`

describe.runIf(process.platform === 'linux' && isInstalled('python3'))('a host that is a subreaper', () => {
  it.for(['read', 'write'] as const)('is left no zombies by commands of %s mode', async (mode) => {
    const [user] = users
    if (!user) throw new Error('there is no user')
    // They outlive the command on a busy machine, too: a zombie in a session of its own tells no more whose it was.
    const leaving = '(setsid sleep 2 &) > /dev/null 2>&1; (sleep 2 &) > /dev/null 2>&1; :'
    const [left] = await runAs(user, {
      options: { mode: 'write', cwd: '/' },
      commands: [['sh', '-c', zombies]],
      wrapper: subreaper,
    })
    expect(left?.stdout).toBe('')
    const results = await runAs(user, {
      options: { mode, cwd: '/' },
      commands: [
        ['sh', '-c', leaving],
        ['sh', '-c', leaving],
        ['sh', '-c', zombies],
      ],
      wrapper: subreaper,
    })
    expect(results.map(({ exitCode, stdout }) => [exitCode, stdout])).toEqual([
      [0, ''],
      [0, ''],
      [1, ''],
    ])
  })
})
