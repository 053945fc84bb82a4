import { describe, expect, it } from 'vitest'
import { keeperOf } from '../../../src/sandbox/docker/spec.ts'
import { readMountTable, wronglyShown } from '../../../src/sandbox/docker/workspace.ts'

describe('what a container shows', () => {
  const here = readMountTable(
    [
      '22 1 8:1 /@home /home rw - ext4 /dev/sda1 rw',
      '23 22 0:21 / /home/me/ws/a/b rw - tmpfs tmpfs rw',
      '24 22 0:22 / /home/me/ws/a/b rw - tmpfs tmpfs rw',
    ].join('\n'),
  )
  const paths = ['/home/me/ws', '/home/me/ws/a/b'].map((path) => ({ source: path, target: path }))
  const shown = (...lines: string[]) => wronglyShown(paths, here, readMountTable(lines.join('\n')))
  const workspace = '9 1 8:1 /@home/me/ws /home/me/ws rw - ext4 /dev/sda1 rw'

  it('is right where file system and place in it are those of this machine', () => {
    expect(shown(workspace, '9 1 0:22 / /home/me/ws/a/b rw - tmpfs x rw')).toBeUndefined()
  })

  it.each([
    ['another file system', workspace, '9 1 0:21 / /home/me/ws/a/b rw - tmpfs x rw'],
    ['another place', workspace, '9 1 0:22 /etc /home/me/ws/a/b rw - tmpfs x rw'],
    ['nothing', workspace, '9 1 0:22 / /etc/b rw - tmpfs x rw'],
    [
      'something over it',
      workspace,
      '9 1 0:22 / /home/me/ws/a/b rw - tmpfs x rw\n9 1 8:1 /etc /home/me/ws/a/b rw - ext4 x rw',
    ],
  ])('is wrong where %s is there', (_, ...lines) => expect(shown(...lines)).toBe('/home/me/ws/a/b'))

  it('is wrong where it is not told', () => expect(shown()).toBe('/home/me/ws'))
})

it('the first process is never of the user that commands run as', () => {
  expect(keeperOf({ uid: 1000 })).toBe('65533:65533')
  expect(keeperOf({ uid: 65_533 })).toBe('65532:65532')
})
