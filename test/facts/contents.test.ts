import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, statfsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PathAnswer, PathQuestion, PathQuestionKind } from '../../src/facts/lookup.ts'
import { type LookupAddon, nativeLookup } from '../../src/facts/native-lookup.ts'
import { loadAddon } from '../../src/launch/addon.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'

const loaded = process.platform === 'linux' ? loadAddon() : { missing: 'Linux' }
const addon = 'missing' in loaded ? undefined : (loaded as unknown as LookupAddon)
const root = makeDirectory()
const at = (path: string) => join(root, path)

/** A lookup that shares nothing with others, and what went past the kernel's cache. */
function observed() {
  let processes = 0
  const lookup = nativeLookup({
    look: (text, callback) => {
      processes++
      return (addon as LookupAddon).look(text, callback)
    },
    giveUpLooking: (id) => (addon as LookupAddon).giveUpLooking(id),
    lookCached: (text) => (addon as LookupAddon).lookCached(text),
  })
  return async (kind: PathQuestionKind, path: string) => {
    processes = 0
    const question: PathQuestion = { kind, path: at(path) }
    const [answer] = (await lookup.ask([question], 20_000)) ?? []
    return { answer, processes }
  }
}

type Ask = ReturnType<typeof observed>

/** Asks until the answer takes no process. */
async function settled(ask: Ask, kind: PathQuestionKind, path: string): Promise<PathAnswer | undefined> {
  for (;;) {
    const { answer, processes } = await ask(kind, path)
    if (processes === 0) return answer
    await pause(50)
  }
}

/** Only there the kernel tells for certain that a file is the same. linux/magic.h: ext4, XFS, Btrfs, tmpfs, overlayfs. */
const knows = [0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630]
const isHere =
  addon !== undefined &&
  knows.includes(statfsSync('/').type) &&
  statfsSync(root).type === statfsSync('/').type

describe.skipIf(!isHere)('what was read of a file or directory', () => {
  beforeAll(() => {
    mkdirSync(at('directory'))
    for (const name of ['text', 'written', 'replaced', 'directory/one', 'target', 'other', 'new'])
      writeFileSync(at(name), 'one')
    symlinkSync('target', at('link'))
  })

  it('is not read again while it stays the same', async () => {
    const ask = observed()
    expect((await ask('text', 'text')).processes).toBe(1)
    expect(await settled(ask, 'text', 'text')).toEqual({ found: 'one' })
    expect(await settled(ask, 'text', 'directory')).toEqual({ failed: 'EISDIR' })
    expect(await settled(ask, 'names', 'directory')).toEqual({ found: '-one\0' })
    expect((await ask('names', 'text')).answer).toEqual({ failed: 'ENOTDIR' })
  })

  const changes: readonly (readonly [string, string, () => void])[] = [
    ['written with as many bytes', 'written', () => writeFileSync(at('written'), 'two')],
    [
      'replaced by another file',
      'replaced',
      () => {
        writeFileSync(at('fresh'), 'two')
        renameSync(at('fresh'), at('replaced'))
      },
    ],
    [
      'behind a link that leads elsewhere',
      'link',
      () => {
        rmSync(at('link'))
        writeFileSync(at('other'), 'two')
        symlinkSync('other', at('link'))
      },
    ],
  ]
  it.each(changes)('is read again at once when it is %s', async (_, name, change) => {
    const ask = observed()
    await settled(ask, 'text', name)
    change()
    expect((await ask('text', name)).answer).toEqual({ found: 'two' })
    expect(await settled(ask, 'text', name)).toEqual({ found: 'two' })
  })

  it('is not taken from a file that is gone, and a new name in a directory is seen', async () => {
    const ask = observed()
    await settled(ask, 'text', 'new')
    await settled(ask, 'names', 'directory')
    rmSync(at('new'))
    writeFileSync(at('directory/two'), '')
    expect((await ask('text', 'new')).answer).toEqual({ failed: 'ENOENT' })
    const { answer } = await ask('names', 'directory')
    expect(answer && 'found' in answer ? answer.found.split('\0').sort() : answer).toEqual([
      '',
      '-one',
      '-two',
    ])
  })
})

it.skipIf(!isInstalled('git'))(
  'an index is read again when the kernel tells another state of it',
  async () => {
    let state = 'one'
    const lookup = nativeLookup({
      look: () => -1,
      giveUpLooking: () => undefined,
      lookCached: () =>
        Buffer.concat([Buffer.from(new Uint32Array([0, state.length]).buffer), Buffer.from(state)]),
    })
    const cwd = makeDirectory()
    const add = (name: string) => {
      const entry = `160000,${'1'.repeat(40)},${name}`
      execFileSync('git', ['update-index', '--add', '--cacheinfo', entry], { cwd })
    }
    const knows = async (name: string) => {
      const [answer] = (await lookup.ask([{ kind: 'gitlinks', path: join(cwd, '.git/index') }], 20_000)) ?? []
      return answer && 'found' in answer && answer.found.split('\0').includes(name)
    }
    execFileSync('git', ['init', '-q'], { cwd })
    add('first')
    expect(await knows('first')).toBe(true)
    add('second')
    expect(await knows('second')).toBe(false)
    state = 'two'
    expect(await knows('second')).toBe(true)
  },
)
