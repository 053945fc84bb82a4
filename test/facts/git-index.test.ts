import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { gitlinksIn } from '../../src/facts/git-index.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'

const object = 'e000'.repeat(10)

/** The index of a repository with these entries: a mode and a name each. */
function indexOf(entries: readonly (readonly [string, Buffer])[]): Buffer {
  const cwd = makeDirectory()
  execFileSync('git', ['init', '-q'], { cwd })
  const input = Buffer.concat(
    entries.map(([mode, name]) => Buffer.concat([Buffer.from(`${mode} ${object}\t`), name, Buffer.of(0)])),
  )
  execFileSync('git', ['update-index', '-z', '--index-info'], { cwd, input })
  return readFileSync(join(cwd, '.git/index'))
}

/** Its last byte and the NUL after it are the end of a gitlink's mode, as are the object names. */
const nearMiss = ['100644', Buffer.from([0x61, 0xe0])] as const

describe.skipIf(!isInstalled('git'))('the gitlinks of an index', () => {
  it('are found behind bytes that resemble their mode', () => {
    const index = indexOf([nearMiss, ['160000', Buffer.from('sub/module')]])
    expect(gitlinksIn(index)).toEqual(['sub/module'])
  })

  it('are none without one, whatever resembles their mode', () => {
    expect(gitlinksIn(indexOf([nearMiss, ['100644', Buffer.from('sub/file')]]))).toEqual([])
  })

  it.each([0, 1, 2, 3])('are none where the bytes stand at %i of something short', (at) => {
    expect(gitlinksIn(Buffer.concat([Buffer.alloc(at, 1), Buffer.of(0xe0, 0)]))).toEqual([])
  })
})
