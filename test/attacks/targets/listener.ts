import { execFileSync } from 'node:child_process'
import { basename, join } from 'node:path'
import type { Arrange, Outside, Target } from '../attack.ts'
import { files } from './files.ts'
import { startHelper } from './helper.ts'

/** Something that listens, of a kind that outside/listener.py names: a process of the test's own that says whether anything has arrived. */
async function listen(kind: string, place: string, outside: Outside): Promise<Target> {
  const held = await files(outside)
  if (kind === 'fifo' || kind === 'pipe') execFileSync('mkfifo', [place])
  const helper = await startHelper(outside.programs.listener, [kind, place])
  return {
    offers: { ...held.offers, place, port: helper.ready[0] ?? '' },
    observe: () => helper.ask(),
    dispose: async () => {
      await helper.stop()
      await held.dispose()
    },
  }
}

/** A listener at a path: a unix socket or the reader of a FIFO, of which `pipe` observes the size. */
export function listenerAtPath(kind: string): Arrange {
  return (outside) => listen(kind, join(outside.directory, 'place'), outside)
}

/** A listener with an abstract name, which no file system knows. */
export function abstractListener(kind: string): Arrange {
  return (outside) => listen(kind, `@${basename(outside.directory)}`, outside)
}

/** A listener on a free port of the loopback interface, or of netlink. */
export function listenerOnPort(kind: string): Arrange {
  return (outside) => listen(kind, '', outside)
}
