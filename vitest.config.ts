import { defineConfig } from 'vitest/config'

/**
 * Files that run one after the other, in `npm run test:all`: they need an engine, many minutes, all processors, or the
 * machine for themselves, since they measure time, memory or what stays behind. All others run side by side in `npm test`.
 */
const alone = ['test/**/*.alone.test.ts']

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    projects: [
      project('quick', 0, { include: ['test/**/*.test.ts'], exclude: alone, maxWorkers: 3 }),
      project('alone', 1, { include: alone, maxWorkers: 1, globalSetup: ['test/sandbox/docker/setup.ts'] }),
    ],
  },
})

function project(
  name: string,
  order: number,
  files: { include: string[]; exclude?: string[]; maxWorkers: number; globalSetup?: string[] },
) {
  return {
    test: {
      name,
      pool: 'forks' as const,
      sequence: { groupOrder: order },
      // Elsewhere a test that fails is to be looked at; there a machine under load must not decide on a landing.
      retry: process.env['CI'] ? 3 : 0,
      testTimeout: 60_000,
      hookTimeout: 120_000,
      ...files,
    },
  }
}
