import { chmodSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { aliveWith, endAll, makeMarker, survivors, waitFor } from '../../helpers/processes.ts'
import { compileFixture, isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { type Ground, makeGround } from './ground.ts'

let ground: Ground
let locker: string

beforeAll(async () => {
  ground = await makeGround()
  locker = compileFixture('locker')
  chmodSync(locker, 0o755)
})

/** Of two threads: the kernel leaves a signal to the process pending while the one that it chose waits in the call. */
const threads = `
import fcntl, signal, threading, time
def handle(*_): raise InterruptedError
threading.Thread(target=time.sleep, args=(300,), daemon=True).start()
signal.signal(signal.SIGALRM, handle)
print('asks', flush=True)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try: fcntl.flock(open('lock'), fcntl.LOCK_EX)
except InterruptedError: print('interrupted', flush=True)`

/** Descriptor 9 of the shell holds the lock that `waiter` asks for; `asks` is read before the line goes on. */
const holding = (waiter: string, line: string) => `
cd "$TMPDIR" && mkfifo said && exec 9>lock && flock -n 9 || exit 99
${waiter} > said 9>&- & waiter=$!
exec 7< said; read said <&7; echo $said
${line}`

/** What is shown, what is said, and the script: `$L` is the locker. */
const lines: readonly (readonly [what: string, said: string, script: string])[] = [
  [
    'who waits for a lock gets it when it is let go',
    'asks\nlets go\ngot it\n',
    holding('$L lock', 'sleep 0.3; echo lets go; exec 9>&-; cat <&7'),
  ],
  [
    'a handler without SA_RESTART interrupts the wait',
    'asks\nEINTR after an alarm\n',
    holding('$L lock alarm', 'cat <&7; exec 9>&-'),
  ],
  [
    'a handler interrupts the wait of a process of two threads',
    'asks\ninterrupted\n',
    holding(`python3 -c "${threads}"`, 'cat <&7; exec 9>&-'),
  ],
  [
    'one with SA_RESTART runs, and the wait goes on',
    'asks\ngot it after alarms\n',
    holding('$L lock restart', 'sleep 0.4; exec 9>&-; cat <&7'),
  ],
  [
    'who is killed while it waits leaves no lock, even on a file that others share',
    'asks\nfree\n',
    holding(
      'exec 8>lock; $L 8',
      'exec 8>lock; sleep 0.1; kill -KILL $waiter; cat <&7; exec 9>&-; flock -w 5 lock echo free',
    ),
  ],
  [
    'who is stopped while it waits stops, and waits on when it is continued',
    'asks\ngot it\n',
    holding(
      '$L lock',
      `kill -STOP $waiter
      until grep -q '^State:.T' /proc/$waiter/status; do sleep 0.01; done
      exec 9>&-; kill -CONT $waiter; cat <&7`,
    ),
  ],
  [
    'each of twenty gets it once, and no two at the same time',
    '20\n',
    `cd "$TMPDIR" || exit 99; echo 0 > n
    for i in $(seq 20); do ($L 9 > /dev/null && n=$(cat n) && sleep 0.01 && echo $((n+1)) > n) 9>lock & done
    wait; cat n`,
  ],
]

const reason = isInstalled('flock') ? cannotBorrow() : 'flock is not installed'
const skipped = reason === null ? '' : ` (skipped: ${reason})`

describe.skipIf(reason !== null)(`a blocking flock(2) in a private directory${skipped}`, () => {
  it.for(lines)('%s', async ([, said, script]) => {
    const { stdout, stderr, denials } = await ground.run(`L=${locker}; ${script}`)
    expect({ stdout, stderr, denials }).toEqual({ stdout: said, stderr: '', denials: [] })
  })

  it('keeps no call of others waiting, and ends with the deadline of its command', async () => {
    const marker = makeMarker()
    const waiting = ground.shell.execute({
      command: holding(`exec ${locker} lock ${marker}`, 'wait'),
      timeoutMs: 2000,
    })
    const started = await waitFor(() => aliveWith(marker).length > 0)
    const other = await ground.run(
      'cd "$TMPDIR" && touch f && chmod 600 f && flock f echo free; echo x > /dev/null',
    )
    const result = await waiting
    const left = await survivors(marker)
    await endAll(marker)
    expect(other).toMatchObject({ stdout: 'free\n', exitCode: 0 })
    expect(started).toBe(true)
    expect(result).toMatchObject({ timedOut: true, stdout: 'asks\n' })
    expect(left).toEqual([])
    expect(ground.left()).toEqual([])
  })
})
