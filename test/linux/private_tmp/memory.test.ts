import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { linuxPrivateDirectories } from '../../../src/sandbox/private-tmp.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { realAddon } from '../../sandbox/hosts.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes of live JavaScript objects. */
function heap(): number {
  collectGarbage()
  return process.memoryUsage().heapUsed
}

const cycles = 10_000
/** An object that stays of each cycle is more than this. */
const mostEach = 100

it('a directory that serves one command after the other keeps nothing of those before', async () => {
  const temporary = makeDirectory()
  const directories = linuxPrivateDirectories(realAddon())
  const paths = new Set<string>()
  const serve = async (times: number) => {
    for (let at = 0; at < times; at++) {
      const directory = directories.make(temporary)
      if (at < 100) paths.add(directory.path)
      expect(await directory.remove(true)).toBeUndefined()
    }
  }
  await serve(1000)
  expect(paths.size).toBe(1)
  const before = heap()
  await serve(cycles)
  expect((heap() - before) / cycles).toBeLessThan(mostEach)
})
