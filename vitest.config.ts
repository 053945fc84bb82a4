import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/setup.ts'],
    pool: 'forks',
    // Elsewhere a test that fails is to be looked at; there a machine under load must not decide on a landing.
    retry: process.env['CI'] ? 3 : 0,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
