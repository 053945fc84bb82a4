import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that run one after the other, in `npm run test:all`: they need an engine, many minutes, all processors, or the
 * machine for themselves, since they measure time, memory or what stays behind. All others run side by side in `npm test`.
 */
const alone = ['test/**/*.alone.test.ts']

/** Long tables, real tools and fuzzing: side by side as well, but too much for `npm test`. In `npm run test:all`. */
const deep = ['test/**/*.deep.test.ts']

/** Half of a file's time is the start of a process and of what it imports: files take turns in a few processes. */
const beside = { maxWorkers: 5, isolate: false }

/** Files that take long for their size. */
const long = /\/(races|twins|attacks)\/|(held|compatibility)\.deep|\/(doctor|pty|completion|signals)\.test/

/** Long files begin first: none runs last, alone. Vitest takes the larger file for the longer until it has run both. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => Number(!long.test(moduleId))
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongFirst },
    globalSetup: ['test/setup.ts'],
    projects: [
      project('quick', 0, { include: ['test/**/*.test.ts'], exclude: [...alone, ...deep], ...beside }),
      project('deep', 1, { include: deep, ...beside }),
      project('alone', 2, { include: alone, maxWorkers: 1, globalSetup: ['test/sandbox/docker/setup.ts'] }),
    ],
  },
})

function project(
  name: string,
  order: number,
  files: {
    include: string[]
    exclude?: string[]
    maxWorkers: number
    isolate?: boolean
    globalSetup?: string[]
  },
) {
  return {
    test: {
      name,
      pool: 'forks' as const,
      setupFiles: ['test/each-file.ts'],
      sequence: { groupOrder: order },
      // Elsewhere a test that fails is to be looked at; there a machine under load must not decide on a landing.
      retry: process.env['CI'] ? 3 : 0,
      testTimeout: 180_000,
      hookTimeout: 180_000,
      ...files,
    },
  }
}
