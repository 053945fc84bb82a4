import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { modes } from '../../../src/base/types.ts'
import { containerProcessEnd } from '../../../src/launch/docker-inside.ts'
import { FirstWords } from '../../../src/sandbox/docker/exec.ts'
import { tarOf } from '../../../src/sandbox/docker/image.ts'
import { engineFrames } from '../../../src/sandbox/docker/keeper.ts'
import {
  isOurName,
  isRunning,
  newName,
  readHost,
  thisProcess,
} from '../../../src/sandbox/docker/left-over.ts'
import { bytesOf, keeperOf } from '../../../src/sandbox/docker/spec.ts'
import { mountsOf, readMountTable, wronglyShown } from '../../../src/sandbox/docker/workspace.ts'

function frame(stream: number, text: string): Buffer {
  const head = Buffer.from([stream, 0, 0, 0, 0, 0, 0, 0])
  head.writeUInt32BE(Buffer.byteLength(text), 4)
  return Buffer.concat([head, Buffer.from(text)])
}

describe('frames', () => {
  const stream = Buffer.concat([frame(1, 'out'), frame(2, ''), frame(2, 'error'), frame(1, 'x'.repeat(300))])

  it.each([1, 2, 3, 7, 8, 9, 11, 1000])(
    'are taken apart, whatever pieces of %i bytes they come in',
    (size) => {
      const got = { stdout: '', stderr: '' }
      const frames = engineFrames((name, bytes) => {
        got[name] += bytes
      })
      for (let at = 0; at < stream.length; at += size) frames.add(stream.subarray(at, at + size))
      expect(got).toEqual({ stdout: `out${'x'.repeat(300)}`, stderr: 'error' })
    },
  )
})

describe('mounts', () => {
  const table = [
    '22 1 0:20 / / rw - ext4 /dev/sda1 rw',
    '23 22 0:21 / /srv/a\\040b rw,relatime shared:1 master:2 - tmpfs tmpfs rw',
    '24 22 0:22 / /srv/proc rw - proc proc rw',
    '25 22 0:23 / /working rw - ext4 x rw',
  ].join('\n')

  it('are read with their blanks', () => {
    expect(readMountTable(table).map(({ point, kind }) => `${kind} ${point}`)).toEqual([
      'ext4 /',
      'tmpfs /srv/a b',
      'proc /srv/proc',
      'ext4 /working',
    ])
  })

  it('beneath the workspace come along, but none that leads to the kernel', () => {
    expect(mountsOf(['/srv'], readMountTable(table))).toEqual(['/srv', '/srv/a b'])
  })
})

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

describe('the first piece of output', () => {
  const id = 'e8'.repeat(32)
  const first = (text: string) => {
    let passed = ''
    const words = new FirstWords((_, bytes) => {
      passed += bytes
    })
    words.add('stdout', Buffer.from(text))
    return { passed, held: words.held }
  }

  it.each([
    'OCI runtime exec failed: exec failed: no such file or directory: unknown\r\n',
    `container ${id} init process is not running: failed precondition\r\n`,
    `task ${id} not found: not found\r\n`,
    'cannot exec in a stopped state: unknown\r\n',
  ])('is held back if it may be the message of an engine: %j', (said) =>
    expect(first(said)).toEqual({ passed: '', held: said }),
  )

  it.each([`container ${id} is up\n`, 'container x\r\n', 'HTTP/1.1 200 OK\r\n'])('is passed on: %j', (said) =>
    expect(first(said)).toEqual({ passed: said, held: '' }),
  )
})

describe('a process that the runtime reports as never started', () => {
  const said = 'OCI runtime exec failed: error writing config to pipe: write init-p: broken pipe: unknown'
  const circumstances = { killed: 0, usedUp: undefined }

  it('was killed, if the command was ended while it joined the container', () => {
    const end = containerProcessEnd({ kind: 'never', said }, { ...circumstances, stopped: 'SIGTERM' })
    expect(end).toMatchObject({ kind: 'signalled', signal: 'SIGTERM' })
  })

  it('failed to start, if nothing ended the command', () => {
    const end = containerProcessEnd({ kind: 'never', said }, { ...circumstances, stopped: undefined })
    expect(end).toEqual({ kind: 'failed', step: 'container', errno: said })
  })
})

describe('the host of a container', () => {
  it('is told from a later process with its number', () => {
    const here = thisProcess()
    expect(isRunning(here)).toBe(true)
    expect(isRunning({ ...here, start: '1' })).toBe(false)
    expect(isRunning({ ...here, boot: 'another' })).toBeUndefined()
    expect(isRunning({ ...here, namespace: 'pid:[1]' })).toBeUndefined()
    expect(readHost(JSON.stringify(here))).toEqual(here)
  })

  it.each([undefined, '', 'x', '{}', '{"pid":"1"}', 'null'])('%j is no label of ours', (label) => {
    expect(readHost(label)).toBeUndefined()
  })
})

describe('the name of a container', () => {
  it.each(modes)('of %s mode is one of ours', (mode) => expect(isOurName(newName(mode))).toBe(true))

  it.each(['vitrine-other-0123456789ab', 'my-vitrine-read-0123456789ab', 'vitrine-read-x', undefined])(
    '%j is not',
    (name) => expect(isOurName(name)).toBe(false),
  )
})

it.each([
  ['1g', 1_073_741_824],
  ['512M', 536_870_912],
  ['64k', 65_536],
  ['10b', 10],
  ['4096', 4096],
])('%s is %i bytes', (size, bytes) => expect(bytesOf(size)).toBe(bytes))

it('the first process is never of the user that commands run as', () => {
  expect(keeperOf({ uid: 1000 })).toBe('65533:65533')
  expect(keeperOf({ uid: 65_533 })).toBe('65532:65532')
})

it.each([0, 1, 511, 512, 513])('an archive of a file of %i bytes is one that tar reads', (size) => {
  const content = Buffer.alloc(size, 'abc')
  const got = execFileSync('tar', ['-xO', 'Dockerfile'], { input: tarOf('Dockerfile', content) })
  expect(got.equals(content)).toBe(true)
})
