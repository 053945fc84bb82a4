import { beforeAll, expect, it } from 'vitest'
import type { Shell } from '../../../src/shell.ts'
import { ownMarker } from '../../helpers/markers.ts'
import { openTestShell } from '../../helpers/place.ts'
import { survivors } from '../../helpers/processes.ts'
import { compileHungry, mebibyte } from './hungry.ts'

const limit = 20 * mebibyte
let withHungry: ReturnType<typeof compileHungry>

beforeAll(() => {
  withHungry = compileHungry()
})

function open(): Promise<Shell> {
  return openTestShell({
    mode: 'read',
    toml: `[shell]\nprivate_tmp = true\n[limits]\nprivate_tmp_bytes = ${limit}\n`,
  })
}

const deep = 'for i in $(seq 80); do mkdir d; cd d; head -c 300k /dev/zero > f; done'
const over = [
  { name: 'one file', line: 'head -c 200M /dev/zero > one; sleep $M' },
  { name: 'many files, in a deep tree', line: `${deep}; sleep $M` },
  {
    name: 'many files, by many processes',
    line: 'for i in 1 2 3 4 5 6 7 8; do head -c 10M /dev/zero > $i & done; sleep $M',
  },
  { name: 'a deleted file that is still open', line: '$H deleted 60 $M' },
  {
    name: 'what is there when the command ends by itself',
    line: 'head -c 20M /dev/zero > one; head -c 20M /dev/zero > two',
  },
]

it.for(over)('$name: ended, named, and nothing is left', async ({ line }) => {
  const marker = ownMarker()
  const shell = await open()
  const command = withHungry(marker, `cd "$TMPDIR"; ${line}`)
  const result = await shell.execute({ command, timeoutMs: 20_000 })
  expect(result.outcome).toEqual({ kind: 'limited', limit: 'private_tmp', value: limit })
  expect(await survivors(marker)).toEqual([])
})

it('no file can grow far over the limit, whatever the watch does', async () => {
  const shell = await open()
  const result = await shell.execute({ command: 'ulimit -Sf; ulimit -Hf' })
  // Blocks of 512 bytes: ulimit(1p).
  const blocks = (limit + mebibyte) / 512
  expect(result.stdout).toBe(`${blocks}\n${blocks}\n`)
})

const unseen = [
  { name: 'a hole', line: 'exec truncate -s 30M hole' },
  { name: 'room at an offset', line: 'exec fallocate -o 20M -l 10M hole' },
  {
    name: 'a file that is gone with its writer',
    line: `sh -c 'exec 3> gone; rm gone; head -c 200M /dev/zero >&3'`,
  },
]

/** What the watch sees is too late, or nothing. */
it.for(unseen)('who is ended at that size is named: $name', async ({ line }) => {
  const shell = await open()
  const result = await shell.execute({ command: `cd "$TMPDIR"; ${line}` })
  expect(result.outcome).toEqual({ kind: 'limited', limit: 'private_tmp', value: limit })
})

const ownCodes = [
  { name: 'of the shell', line: 'exit 153' },
  {
    name: 'of a program that wrote something',
    line: "sh -c 'head -c 5M /dev/zero > five; exit 153'; exit $?",
  },
  { name: 'of a shell whose program was ended by a signal', line: "sh -c 'kill -XFSZ $$'; exit $?" },
  { name: 'after a hole that may be', line: 'truncate -s 10M hole; exit 153' },
]

it.for(ownCodes)(
  'an exit code 153 is none of ours where no file came to the size: $name',
  async ({ line }) => {
    const shell = await open()
    const result = await shell.execute({ command: `cd "$TMPDIR"; ${line}` })
    expect(result.outcome).toEqual({ kind: 'exited', code: 153 })
  },
)
