import type { Arrange, Target } from '../attack.ts'
import { startHelper } from './helper.ts'

/** A terminal of the test's own: its settings, its size, its session, and what is queued on either side. */
export const terminal: Arrange = async (outside): Promise<Target> => {
  const helper = await startHelper(outside.programs.terminal, [])
  return {
    offers: { directory: outside.directory, terminal: helper.ready[0] ?? '' },
    observe: () => helper.ask(),
    dispose: () => helper.stop(),
  }
}
