import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { VitrineError } from '../../src/messages/error.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** Files called `tool` in three directories of PATH: one that can be executed, one that cannot, none. */
type Kind = 'program' | 'file' | 'none'

async function ranWith(mode: 'read' | 'write', ...kinds: readonly Kind[]) {
  const directory = makeDirectory()
  const path = kinds.map((kind, at) => {
    const place = join(directory, String(at))
    mkdirSync(place)
    if (kind !== 'none')
      writeFileSync(join(place, 'tool'), `#!/bin/sh\necho ${at}\n`, {
        mode: kind === 'program' ? 0o755 : 0o644,
      })
    return place
  })
  const shell = await openTestShell({ mode, env: { PATH: [...path, process.env['PATH']].join(':') } })
  return shell.execute({ argv: ['tool'] }).then(
    ({ stdout }) => stdout,
    ({ code, refusal }: VitrineError) => [code, refusal.code === 'SPAWN_FAILED' && refusal.errno],
  )
}

it.each(['read', 'write'] as const)(
  'a program is searched in PATH as by execvp(3), in %s mode',
  async (mode) => {
    expect(await ranWith(mode, 'none', 'file', 'program')).toBe('2\n')
    expect(await ranWith(mode, 'file', 'none', 'none')).toEqual(['SPAWN_FAILED', 'EACCES'])
    expect(await ranWith(mode, 'none', 'none', 'file')).toEqual(['SPAWN_FAILED', 'EACCES'])
    expect(await ranWith(mode, 'none', 'none', 'none')).toEqual(['SPAWN_FAILED', 'ENOENT'])
  },
)
