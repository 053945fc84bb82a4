import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeDirectory } from '../helpers/place.ts'
import { builtLibrary, compileFixture, repository } from '../helpers/programs.ts'

function missing(): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'only root can mount a file system'
  return existsSync('/dev/fuse') ? null : '/dev/fuse is not here'
}

interface Timed<T> {
  readonly value?: T
  readonly code?: string
  readonly message?: string
  readonly reason?: string
  readonly ms: number
}

/** What test/fixtures/facts/silent.mjs prints. */
interface Happened {
  readonly project: Timed<unknown>
  readonly user: Timed<unknown>
  readonly load: Timed<unknown>
  readonly beside: Timed<string>
  readonly longestGap: number
}

/** A machine that has others to serve gets so long on top of every limit, in milliseconds. */
const slack = 3000

describe.skipIf(missing() !== null)(
  `a host whose own files do not answer${missing() ? ` (skipped: ${missing()})` : ''}`,
  () => {
    let happened: Happened

    beforeAll(async () => {
      builtLibrary()
      const home = makeDirectory()
      const mounted = join(makeDirectory(), 'mounted')
      mkdirSync(mounted)
      const script = join(repository, 'test/fixtures/facts/silent.mjs')
      const host = [process.execPath, script, compileFixture('fuse'), mounted, home]
      const child = spawn('unshare', ['--mount', '--propagation', 'private', ...host], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const said = child.stdout.setEncoding('utf8').toArray()
      expect(await once(child, 'exit')).toEqual([0, null])
      happened = JSON.parse((await said).join(''))
    }, 60_000)

    it.for(['project', 'user'] as const)('says so of the configuration, in time: the %s’s file', (whose) => {
      const { code, message, ms } = happened[whose]
      expect(code).toBe('CONFIG_INVALID')
      expect(message).toContain(
        `${whose === 'user' ? 'hang-user' : '.vitrine.toml'}: cannot be used: its file system`,
      )
      expect(ms).toBeLessThan(2200 + slack)
    })

    it('loads no configuration for a directory on it', () => {
      const { code, reason, ms } = happened.load
      expect({ code, reason }).toEqual({ code: 'INVALID_REQUEST', reason: 'unanswered' })
      expect(ms).toBeLessThan(2200 + slack)
    })

    it('goes on: its timers fire, and other shells open', () => {
      expect(happened.longestGap).toBeLessThan(slack)
      expect(happened.beside.value).toBe('beside\n')
    })
  },
)
