import { expect, it } from 'vitest'
import { openTestShell } from '../helpers/place.ts'

it.each(['SIGABRT', 'SIGSEGV', 'SIGTERM', 'SIGIO', 'SIGUSR1', 'SIGSYS'])(
  'a death by %s is called so',
  async (name) => {
    const shell = await openTestShell({ mode: 'read' })
    const { signal } = await shell.execute({ command: `kill -${name.slice(3)} $$; sleep 5` })
    expect(signal).toBe(name)
  },
)
