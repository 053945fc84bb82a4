import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Spill } from '../../src/run/collect.ts'
import { makeDirectory } from '../helpers/place.ts'

/** A file that takes a part of a write, as a nearly full disk does: a FIFO that does not block takes what there is room for. */
function openNarrow(): number {
  const path = join(makeDirectory(), 'fifo')
  execFileSync('mkfifo', [path])
  return openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
}

function readAll(fd: number, bytes: number): Buffer {
  const parts: Buffer[] = []
  for (let left = bytes; left > 0; ) {
    const part = Buffer.alloc(left)
    const read = readSync(fd, part)
    parts.push(part.subarray(0, read))
    left -= read
  }
  return Buffer.concat(parts)
}

it('what a file takes only in part is in the file or given back, byte for byte', async () => {
  const fd = openNarrow()
  let failures = 0
  const spill = new Spill({ name: 'x', path: 'x', fd }, () => failures++)
  const chunks = Array.from({ length: 50 }, (_, at) => Buffer.alloc(5000 + at, 65 + at))
  for (const chunk of chunks) spill.add(chunk)
  const left = await spill.finish()
  expect(failures).toBe(1)
  expect(spill.error).toMatchObject({ code: 'EAGAIN' })
  expect(spill.written).toBeGreaterThan(0)
  expect(Buffer.concat([readAll(fd, spill.written), left]).equals(Buffer.concat(chunks))).toBe(true)
  closeSync(fd)
})
