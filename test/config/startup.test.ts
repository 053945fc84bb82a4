import { describe, expect, it, vi } from 'vitest'
import { makePlace } from './place.ts'

// Importing either of them fails here, so whatever still works has done without.
vi.mock('smol-toml', () => {
  throw new Error('smol-toml was imported')
})
vi.mock('toml-eslint-parser', () => {
  throw new Error('toml-eslint-parser was imported')
})

describe('start-up', () => {
  it('without files no TOML parser is imported, whatever variables and flags there are', async () => {
    const { config } = await makePlace().load({
      env: { VITRINE_SHELL_TIMEOUT_MS: '5' },
      flags: { 'shell.mode': { value: 'write', from: '--write' } },
    })
    expect(config.shell).toMatchObject({ timeout_ms: 5, mode: 'write' })
  })

  it('a config file needs the parser, so that the test above is one', async () => {
    const place = makePlace()
    place.write(place.userFile, '')
    await expect(place.load()).rejects.toThrow()
  })
})

describe('with a valid config file', () => {
  it('the parser that finds places is not imported', async () => {
    vi.doUnmock('smol-toml')
    const place = makePlace()
    place.write(place.projectFile, '[shell]\ntimeout_ms = 5\n')
    expect((await place.load()).config.shell.timeout_ms).toBe(5)
  })
})
