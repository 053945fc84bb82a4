import { defineConfig } from 'vitest/config'

/**
 * Files of `npm run test:all`, one after the other: they need an engine, many minutes, all processors, or the machine for
 * themselves, since they measure time, memory or what stays behind on it. The others run side by side in `npm test`.
 */
const alone = [
  'test/docker/**/*.test.ts',
  'test/kill/**/*.test.ts',
  'test/stress/**/*.test.ts',
  'test/policy/fuzz/**/*.test.ts',
  'test/policy/{hostile-git,robust}.test.ts',
  'test/cli/startup.test.ts',
  'test/denials/{busy,flood,hanging,load}.test.ts',
  'test/launch/cmake.test.ts',
  'test/facts/{hanging,silent}.test.ts',
  'test/limits/**/*.test.ts',
  'test/mcp/{fuzz,load,startup}.test.ts',
  'test/output/limits.test.ts',
  'test/pty/many.test.ts',
]

export default defineConfig({
  test: {
    globalSetup: ['test/setup.ts'],
    projects: [
      project('quick', 0, { include: ['test/**/*.test.ts'], exclude: alone, maxWorkers: 3 }),
      project('alone', 1, { include: alone, maxWorkers: 1, globalSetup: ['test/docker/setup.ts'] }),
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
