import { describe, expect, it } from 'vitest'
import { hintBehind } from '../../../src/base/hint.ts'
import { thisHost } from '../../../src/host/host.ts'
import type { Shell } from '../../../src/shell.ts'
import { linesOf, openAudited } from '../../audit/place.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { basic, exchange, goodAt, resolveInTests, webServer } from '../surroundings.ts'
import { listsRefused, openHostShell, openListedShell } from './surroundings.ts'

const modes = ['read', 'workspace'] as const
const cannotRun = listsRefused !== null || !isInstalled('curl') || !isInstalled('python3')

describe.skipIf(cannotRun).each(modes)('a command of %s mode whose network is a list', (mode) => {
  const open = () => openListedShell({ mode }, (port) => [`*.wild.example:${port}`, 'good.example:22'])

  it('reaches listed hosts by the proxy, and the result names them', async () => {
    const { port, shell } = await open()
    const urls = [`http://good.example:${port}/a`, `http://x.wild.example:${port}/b`]
    const result = await shell.execute({ argv: ['curl', '-sS', ...urls] })
    expect(result.stdout).toBe('GET /a GET /b ')
    expect(result.denials).toEqual([])
    expect(result.connections).toMatchObject([
      { host: 'good.example', port, verdict: 'allowed', program: 'curl' },
      { host: 'x.wild.example', port, verdict: 'allowed', program: 'curl' },
    ])
    expect(result.connections?.[0]?.received).toBeGreaterThan(0)
  })

  it('the audit log has a line for each connection, behind the line of its command', async () => {
    const { port } = await webServer()
    const host = { ...thisHost(), resolver: resolveInTests }
    const { shell, log } = await openAudited({ host, cwd: makeDirectory(), mode, network: goodAt(port) })
    const urls = [`http://good.example:${port}/a`, `http://evil.example:${port}/b`]
    const { connections = [] } = await shell.execute({ argv: ['curl', '-sS', ...urls] })
    expect(connections).toMatchObject([{ verdict: 'allowed' }, { verdict: 'refused' }])
    const [command, ...lines] = linesOf(log)
    expect(command).toMatchObject({ event: 'command', outcome: 'exited' })
    const { time, session, pid } = command ?? {}
    const expected = { event: 'connection', time, session, pid }
    expect(lines).toMatchObject(connections.map((connection) => ({ ...expected, connection })))
  })

  it.each([
    ['HTTP', ''],
    ['a tunnel', '--proxytunnel'],
  ])('is refused another host by %s, and told so', async (_way, option) => {
    const { port, shell } = await open()
    const result = await shell.execute({ command: `curl -sSf ${option} http://evil.example:${port}/` })
    expect(result.exitCode).not.toBe(0)
    expect(result.denials).toMatchObject([
      { operation: 'connect', address: `evil.example:${port}`, host: true, program: 'curl', count: 1 },
    ])
    expect(result.hint).toContain(`--allow-host evil.example:${port}`)
  })

  it('cannot turn its connection to the proxy to a network device, or to a route by another host', async () => {
    const { shell } = await open()
    const script = `
import os, socket
s = socket.create_connection(('127.0.0.1', int(os.environ['HTTP_PROXY'].rsplit(':', 1)[1])))
for level, option, value in ((1, 25, b'lo'), (1, 62, (1).to_bytes(4, 'little')), (0, 4, b'\\1\\1\\1\\1')):
    try: s.setsockopt(level, option, value)
    except OSError as error: print(error.errno)`
    const result = await shell.execute({ argv: ['python3', '-c', script] })
    expect(result).toMatchObject({ stdout: '1\n1\n1\n', exitCode: 0 })
  })

  it.skipIf(!isInstalled('ssh'))('is told how ssh gets through, when git used it (needs ssh)', async () => {
    const { shell } = await open()
    const result = await shell.execute({ command: 'git ls-remote ssh://git@good.example/x.git' })
    expect(result.exitCode).toBe(128)
    expect(hintBehind(result)).toMatchObject({ remedy: { kind: 'ssh' } })
  })

  it('narrows it for one call, and never widens it', async () => {
    const { port, shell } = await open()
    const command = `for host in good a.wild evil; do curl -sS -o /dev/null -w '%{http_code} ' http://$host.example:${port}/; done`
    const codes = async (network: boolean | string[]) => (await shell.execute({ command, network })).stdout
    expect(await codes(true)).toBe('200 200 403 ')
    expect(await codes([...goodAt(port), `evil.example:${port}`])).toBe('200 403 403 ')
    const shut = await shell.execute({ command, network: false })
    expect(shut.connections).toBeUndefined()
    expect(shut.stdout).toBe('000 000 000 ')
  })
})

describe.skipIf(listsRefused !== null)('the variables that name the proxy', () => {
  /** Without a shell, which would hide a variable that comes twice. */
  async function variables(shell: Shell, env = {}) {
    const { stdout } = await shell.execute({ argv: ['env'], env })
    const lines = stdout.split('\n').filter((line) => /^(HTTP_PROXY|http_proxy|MINE)=/.test(line))
    return lines.sort()
  }

  it('come once each, with a secret for each command, over configured ones, beside the others', async () => {
    const toml = '[env.set]\nHTTP_PROXY = "http://configured.example:1"\nMINE = "1"\n'
    const shell = await openHostShell({ toml, network: ['good.example'] })
    const secrets = new Set<string>()
    for (const _ of [1, 2]) {
      const [upper = '', ...rest] = await variables(shell)
      expect(upper).toMatch(/^HTTP_PROXY=http:\/\/vitrine:\w+@127\.0\.0\.1:\d+$/)
      expect(rest).toEqual(['MINE=1', upper.replace('HTTP_PROXY', 'http_proxy')])
      secrets.add(upper)
    }
    expect(secrets.size).toBe(2)
  })

  it("give way to a call's own", async () => {
    const shell = await openHostShell({ network: ['good.example'] })
    const own = { HTTP_PROXY: 'x', http_proxy: undefined, MINE: '1' }
    expect(await variables(shell, own)).toEqual(['HTTP_PROXY=x', 'MINE=1'])
  })
})

describe.skipIf(listsRefused !== null)('the proxy of a shell', () => {
  it('serves no other process, and ends with the shell', async () => {
    const { port, shell } = await openListedShell()
    const { stdout } = await shell.execute({ command: 'echo $HTTP_PROXY' })
    const ask = async (url: string) => {
      const head = `GET http://good.example:${port}/ HTTP/1.1\r\nHost: good.example:${port}\r\nConnection: close\r\n`
      const { port: at, password } = new URL(url)
      return (await exchange(Number(at), `${head}${basic(password)}\r\n`)).toString().slice(0, 12)
    }
    expect(await ask(stdout.trim())).toBe('HTTP/1.1 407')
    await shell.close()
    expect(await ask(stdout.trim())).toBe('')
  })
})
