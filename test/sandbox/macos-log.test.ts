import { appendFileSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { equip } from '../../src/host/host.ts'
import { loadConfig } from '../../src/host/load-config.ts'
import { Setups } from '../../src/host/mode-setup.ts'
import { denialOf, readReport } from '../../src/sandbox/macos/report.ts'
import { macosSandbox } from '../../src/sandbox/macos/sandbox.ts'
import { readEverything } from '../../src/sandbox/sandbox.ts'
import { aliveWith } from '../helpers/processes.ts'
import { addonless } from './hosts.ts'
import { doubleOf, event, launchIn, telling } from './macos-doubles.ts'

const options = {
  network: 'none' as const,
  reads: readEverything,
  privateTmp: false,
  unixSockets: [],
  changes: null,
}

describe('a line of the log', () => {
  it.each([
    [
      'Sandbox: touch(4002) deny(1) file-write-create /Users/me/a b\nTAG',
      {
        operation: 'create',
        path: '/Users/me/a b',
        syscall: 'file-write-create',
        pid: 4002,
        program: 'touch',
        count: 1,
      },
    ],
    [
      '2 duplicate reports for Sandbox: Family (x)(7) deny(1) file-write-data /dev/tty\nTAG\n',
      {
        operation: 'write',
        path: '/dev/tty',
        syscall: 'file-write-data',
        pid: 7,
        program: 'Family (x)',
        count: 2,
      },
    ],
    [
      '1 duplicate report for Sandbox: nc(9) deny(1) network-outbound remote:*:443\nTAG',
      {
        operation: 'connect',
        address: '*:443',
        syscall: 'network-outbound',
        pid: 9,
        program: 'nc',
        count: 1,
      },
    ],
    [
      'Sandbox: nc(9) deny(1) network-outbound /private/var/run/docker.sock\nTAG',
      { operation: 'connect', address: '/private/var/run/docker.sock', program: 'nc' },
    ],
    ['Sandbox: rm(9) deny(1) file-write-unlink /a\nb\nTAG', { operation: 'delete', path: '/a\nb' }],
    ['Sandbox: x(9) deny(1) file-write-mode /a\nTAG', { operation: 'metadata', path: '/a' }],
    ['Sandbox: open(9) deny(1) lsopen\nTAG', { operation: 'process' }],
    [
      'Sandbox: open(9) deny(1) mach-lookup com.apple.xpc.smd\nTAG',
      { operation: 'ipc', address: 'com.apple.xpc.smd' },
    ],
    ['Sandbox: kill(9) deny(1) signal others [launchd(1)]\nTAG', { operation: 'signal' }],
  ])('%j is a refusal', (message, denial) => {
    const report = readReport(event(message))
    expect(report?.tag).toBe('TAG')
    expect(report && denialOf(report)).toMatchObject(denial)
  })

  it.each([
    'Filtering the log data using "processID == 0"',
    '',
    '{"eventMessage":"Sandbox: touch(1) de',
    '{"eventMessage":3}',
    '{}',
    event('Sandbox: touch(1) allow file-write-create /a\nTAG'),
    event('Sandbox: touch(1) deny(1) file-write-create /a'),
    event('something else\nTAG'),
  ])('%j is none', (line) => {
    expect(readReport(line)).toBeUndefined()
  })

  it('a refused read is not told', () => {
    const report = readReport(event('Sandbox: cat(1) deny(1) file-read-data /a\nTAG'))
    expect(report && denialOf(report)).toBeUndefined()
  })
})

describe('refusals of commands on macOS', () => {
  it('are found by the tag of the command, and no other gets them', async () => {
    const doubles = doubleOf()
    const sandbox = macosSandbox(doubles.tools)
    const confinement = sandbox.confine(options)
    const first = 'Sandbox: touch(1) deny(1) file-write-create /a'
    const again = '3 duplicate reports for Sandbox: touch(1) deny(1) file-write-create /a'
    const one = await launchIn(confinement, `${telling(doubles, first, again)}; exit 1`)
    const two = await launchIn(
      confinement,
      `${telling(doubles, 'Sandbox: rm(2) deny(1) file-write-unlink /b')}; exit 1`,
    )
    const three = await launchIn(confinement, 'exit 1')
    sandbox.close?.()
    expect(one.end).toMatchObject({ denials: [{ operation: 'create', path: '/a', count: 4 }] })
    expect(two.end).toMatchObject({ denials: [{ operation: 'delete', path: '/b', count: 1 }] })
    expect(three.end).toMatchObject({ denials: [] })
  })

  it('are told from one log, that a shell opens once and for its own commands', async () => {
    const { tools, calls, logCalls } = doubleOf()
    const sandbox = macosSandbox(tools)
    const confinement = sandbox.confine(options)
    for (let times = 0; times < 3; times++) await launchIn(confinement, 'true')
    await expect.poll(() => logCalls().length).toBe(1)
    sandbox.close?.()
    const [stream, ...rest] = logCalls()[0] ?? []
    expect([stream, ...rest.slice(0, 3)]).toEqual(['stream', '--style', 'ndjson', '--predicate'])
    const [, prefix = 'none'] =
      rest[3]?.match(/^processID == 0 AND .* AND eventMessage CONTAINS "(\w+)"$/) ?? []
    const tags = calls()
      .slice(1)
      .map(([, profile]) => profile?.match(/\(with message "(\w+)"\)/)?.[1])
    expect(new Set(tags).size).toBe(3)
    for (const tag of tags) expect(tag?.startsWith(prefix)).toBe(true)
  })

  it('keep a command that fails waiting a moment only, and one that succeeds not at all', async () => {
    const doubles = doubleOf()
    const sandbox = macosSandbox(doubles.tools)
    const confinement = sandbox.confine(options)
    const waits = async (line: string) => (await launchIn(confinement, line)).ms
    const fails = await waits('exit 1')
    const succeeds: number[] = []
    for (let times = 0; times < 5; times++) succeeds.push(await waits('exit 0'))
    // A log that never falls silent is not waited out.
    const line = telling(doubles, 'Sandbox: touch(1) deny(1) file-write-create /a')
    await waits(`(while :; do ${line}; sleep 0.01; done) & exit 1`)
    sandbox.close?.()
    expect(fails).toBeGreaterThan(190)
    expect(Math.min(...succeeds)).toBeLessThan(fails)
  })

  it('of more kinds than fit are counted all the same', async () => {
    const doubles = doubleOf()
    const sandbox = macosSandbox(doubles.tools)
    const confinement = sandbox.confine(options)
    const many = Array.from({ length: 70 }, (_, at) => `Sandbox: touch(1) deny(1) file-write-create /${at}`)
    const { end } = await launchIn(confinement, `${telling(doubles, ...many)}; exit 1`)
    sandbox.close?.()
    const denials = end.kind === 'failed' ? [] : end.denials
    expect(denials).toHaveLength(65)
    expect(denials.at(-1)).toMatchObject({ operation: 'other', count: 6 })
  })

  it('are missing, with the reason, where the log cannot be read', async () => {
    const { tools } = doubleOf({ log: 'echo "log: Must be admin to run stream command" >&2; exit 77' })
    const sandbox = macosSandbox(tools)
    const confinement = sandbox.confine(options)
    const reports = () => sandbox.enforcement(options)['denial reports']
    await expect
      .poll(reports)
      .toMatchObject({ enforced: false, note: expect.stringContaining('Must be admin') })
    expect((await launchIn(confinement, 'exit 3')).end).toMatchObject({
      kind: 'exited',
      code: 3,
      denials: [],
    })
    const none = macosSandbox({ ...tools, log: '/no/log' })
    none.confine(options)
    await expect.poll(() => none.enforcement(options)['denial reports']?.note).toMatch(/ENOENT/)
  })

  it('are missing in the setup of a mode, too, from when the log is lost', async () => {
    const { tools } = doubleOf({ log: 'exit 77' })
    const { config } = await loadConfig({ cwd: '/', env: {} })
    const equipment = {
      ...(await equip(addonless('macos'))),
      sandbox: macosSandbox(tools),
      reads: readEverything,
      projectSettings: new Map(),
    }
    const setups = new Setups({
      ...{ config, equipment, env: {} },
      ...{
        network: 'none',
        privateTmp: false,
        changes: () => ({ roots: ['/'], protected: [], closed: [], asks: false }),
      },
    })
    const { enforcement } = setups.in('read')
    await expect.poll(() => enforcement['denial reports']).toMatchObject({ enforced: false })
  })

  it('cost no process that outlives the shell', async () => {
    const { tools, stream } = doubleOf()
    const sandbox = macosSandbox(tools)
    sandbox.confine(options)
    const readers = () => aliveWith(stream)
    await expect.poll(() => readers().length).toBe(1)
    expect(sandbox.enforcement(options)['denial reports']).toMatchObject({ enforced: true, by: 'log stream' })
    sandbox.close?.()
    await expect.poll(() => readers().length).toBe(0)
    expect(readFileSync(stream, 'utf8')).toBe('')
    appendFileSync(stream, 'after the end')
  })
})
