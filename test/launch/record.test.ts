import { constants } from 'node:os'
import { describe, expect, it } from 'vitest'
import type { NativeEvent, SpawnRecord } from '../../src/launch/addon.ts'
import { realAddon } from '../sandbox/hosts.ts'

const addon = realAddon()

/** A record with every field, whose command prints `ran`. */
function record(): SpawnRecord {
  return {
    candidates: ['/nowhere/sh', '/bin/sh'],
    argv: ['sh', '-c', 'echo ran'],
    env: 'PATH=/usr/bin:/bin\0LANG=C',
    cwd: '/',
    stdin: null,
    merged: false,
    terminal: null,
    limits: { memoryBytes: 0, cpuSeconds: 0, processes: 0, openFiles: 64, privateTmpBytes: 0 },
    deadline: { timeoutMs: 20_000, graceMs: 100 },
    confinement: {
      kind: 'landlock',
      abi: addon.probe().landlockAbi,
      network: false,
      proxy: { port: 1, command: 1, services: ['127.0.0.1:1'] },
      listener: addon.probe().listener,
      writable: [],
      sockets: [],
      asks: false,
      world: 1,
      changes: { roots: ['/etc'], protected: ['/etc/kept'], closed: ['/etc/closed'] },
      reads: {
        readable: { workspace: '/', others: ['/usr'], unlinked: [] },
        unreadable: ['/nowhere/secret'],
        names: { beneath: '/nowhere', patterns: ['.env'], except: ['*.sample'], skip: ['node_modules'] },
      },
    },
  }
}

/** The record with a value at a path such as `limits.openFiles`. */
function withField(path: string, value: unknown): SpawnRecord {
  const changed: object = record()
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let parent = changed
  for (const key of keys) parent = Reflect.get(parent, key)
  Reflect.set(parent, last, value)
  return changed as SpawnRecord
}

/** `called` gets its id before it can run. */
function run(given: SpawnRecord, called: (id: number) => void = () => {}): Promise<NativeEvent[]> {
  return new Promise((resolve, reject) => {
    const events: NativeEvent[] = []
    const spawned = addon.spawn(given, (event) => {
      events.push(event)
      if (event.kind === 'ended' || event.kind === 'failed') resolve(events)
    })
    if (spawned.kind === 'failed') reject(new Error(spawned.step))
    else called(spawned.id)
  })
}

const wrongText = [undefined, null, 7, {}, 'a\0b']
const wrongList = [undefined, null, 'text', {}, { length: 1 }]
const wrongFlag = [undefined, null, 1, 'true']
const wrongNumber = [undefined, null, '1', -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1n]
const wrongRecord = [undefined, 'text', 1, true, () => {}]

const wrong: Readonly<Record<string, readonly unknown[]>> = {
  candidates: wrongList,
  argv: wrongList,
  env: wrongText.filter((value) => typeof value !== 'string'),
  cwd: wrongText,
  stdin: [undefined, -1, 0.5, true, {}, 2 ** 31],
  merged: wrongFlag,
  terminal: wrongRecord,
  limits: wrongRecord,
  'limits.memoryBytes': wrongNumber,
  'limits.cpuSeconds': wrongNumber,
  'limits.processes': wrongNumber,
  'limits.openFiles': wrongNumber,
  'limits.privateTmpBytes': wrongNumber,
  deadline: wrongRecord,
  'deadline.timeoutMs': [...wrongNumber, 2 ** 32],
  'deadline.graceMs': [...wrongNumber, 2 ** 32],
  confinement: wrongRecord,
  'confinement.abi': wrongNumber,
  'confinement.network': wrongFlag,
  'confinement.proxy': wrongRecord,
  'confinement.proxy.port': wrongNumber,
  'confinement.proxy.command': wrongNumber,
  'confinement.proxy.services': wrongList,
  'confinement.listener': wrongFlag,
  'confinement.writable': wrongList,
  'confinement.sockets': wrongList,
  'confinement.reads': [null, ...wrongRecord],
  'confinement.reads.readable': wrongRecord,
  'confinement.reads.readable.workspace': wrongText,
  'confinement.reads.readable.others': wrongList,
  'confinement.reads.unreadable': wrongList,
  'confinement.reads.names': wrongRecord,
  'confinement.reads.names.beneath': wrongText,
  'confinement.reads.names.patterns': wrongList,
  'confinement.reads.names.except': wrongList,
  'confinement.reads.names.skip': wrongList,
  'confinement.changes': wrongRecord,
  'confinement.changes.roots': wrongList,
  'confinement.changes.protected': wrongList,
}

describe('the record of spawn', () => {
  it('starts a command whose events are tagged', async () => {
    expect(await run(record())).toEqual([
      { kind: 'output', stream: 'stdout', bytes: Buffer.from('ran\n') },
      expect.objectContaining({ kind: 'ended', code: 0, signal: 0, denials: [] }),
    ])
  })

  it.for(Object.entries(wrong))('a wrong %s is a TypeError that names it', ([path, values]) => {
    for (const value of values)
      expect(() => addon.spawn(withField(path, value), () => {})).toThrowError(
        expect.objectContaining({
          name: 'TypeError',
          message: expect.stringMatching(`^spawn: ${path.replaceAll('.', '\\.')} must be `),
        }),
      )
  })

  it('a signal that comes before the command runs is sent when it does', async () => {
    const given = { ...record(), candidates: ['/bin/sleep'], argv: ['sleep', '60'] }
    const signalled = () => run(given, (id) => addon.signal(id, constants.signals.SIGTERM))
    // At once: some are launched only after their signal has come.
    const all = await Promise.all(Array.from({ length: 40 }, signalled))
    expect(all.flat().map((end) => end.kind === 'ended' && [end.signal, end.timedOut])).toEqual(
      all.map(() => [constants.signals.SIGTERM, undefined]),
    )
  })

  it('a step that fails is the only event', async () => {
    expect(await run({ ...record(), cwd: '/nowhere' })).toEqual([{ kind: 'failed', step: 'chdir', errno: 2 }])
  })
})
