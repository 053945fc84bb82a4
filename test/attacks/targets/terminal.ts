import { readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Arrange, Target } from '../attack.ts'
import { startHelper } from './helper.ts'

/** A terminal of the test's own: its settings, its size, its session, and what is queued on either side. */
export const terminal: Arrange = async (outside): Promise<Target> => {
  const helper = await startHelper(outside.programs.terminal, [])
  const [path = ''] = helper.ready
  return {
    offers: { directory: outside.directory, terminal: path, held: heldBy(helper.pid, path) },
    observe: () => helper.ask(),
    dispose: () => helper.stop(),
  }
}

/** Where the helper's own descriptor of the terminal stands. */
function heldBy(pid: number, path: string): string {
  const descriptors = `/proc/${pid}/fd`
  const found = readdirSync(descriptors).find((name) => readlinkSync(join(descriptors, name)) === path)
  return join(descriptors, found ?? 'none')
}
