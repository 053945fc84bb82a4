import { describe, expect, it } from 'vitest'
import { basic, exchange, openProxy, proxied } from './surroundings.ts'

const statusOf = (answer: Buffer) => Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(answer.toString('latin1'))?.[1])

const open = () =>
  proxied((port) => ({ allow: [`*.wild.example:${port}`, 'open.example'], deny: ['bad.wild.example'] }))

describe('a plain request through the proxy', () => {
  it('arrives in origin form, without what is for the proxy', async () => {
    const { port, asked, auth, send } = await open()
    const url = `http://good.example:${port}/path?query`
    const head = `POST ${url} HTTP/1.1\r\nHost: good.example:${port}\r\n${auth}Connection: close, X-Own\r\nX-Own: 1\r\n`
    const answer = await send(`${head}X-Kept: 2\r\nTE: trailers\r\nContent-Length: 4\r\n\r\nbody`)
    expect(statusOf(answer)).toBe(200)
    expect(answer.toString()).toContain('POST /path?query body')
    expect(asked[0]?.headers).toEqual({
      host: `good.example:${port}`,
      'x-kept': '2',
      'content-length': '4',
      connection: 'close',
    })
  })

  const spellings = (port: number): readonly (readonly [string, string, number])[] => [
    [`http://good.example:${port}/`, `good.example:${port}`, 200],
    [`http://GOOD.example.:${port}/`, `good.example:${port}`, 200],
    [`HTTP://good.example:${port}`, `GOOD.EXAMPLE:${port}`, 200],
    [`http://2130706433:${port}/`, `127.0.0.1:${port}`, 200],
    [`http://other.example:${port}/`, `other.example:${port}`, 403],
    // a listed URL, and another Host, which is replaced
    [`http://good.example:${port}/`, `other.example:${port}`, 200],
    [`http://good.example:${port}/`, 'good.example:81', 200],
    [`http://good.example:${port}/`, 'no_host at all', 200],
    [`http://other.example:${port}/`, `good.example:${port}`, 403],
    [`http://user:pass@good.example:${port}/`, `good.example:${port}`, 200],
    [`http://good.example:${port}@other.example:${port}/`, `other.example:${port}`, 403],
    [`http://good.example@user@good.example:${port}/`, `good.example:${port}`, 400],
    [`http://good.example:${port}@other.example/`, `good.example:${port}`, 403],
    [`http://good.example:${port}\\@other.example/`, `good.example:${port}`, 400],
    [`http://good.example%2eother.example:${port}/`, `good.example:${port}`, 400],
    [`https://good.example:${port}/`, `good.example:${port}`, 400],
    [`ftp://good.example:${port}/`, `good.example:${port}`, 400],
    [`//good.example:${port}/`, `good.example:${port}`, 400],
    ['/', `good.example:${port}`, 400],
    ['*', `good.example:${port}`, 400],
    [`http://good.example:0${port}/`, `good.example:${port}`, 400],
    [`http://good.example:${port}0/`, `good.example:${port}`, 400],
    ['http:///', 'good.example', 400],
  ]

  it('is judged by the host that it is sent to, however it is written', async () => {
    const { port, asked, auth, send } = await open()
    const rows = spellings(port)
    const statuses: number[] = []
    for (const [url, host] of rows)
      statuses.push(
        statusOf(await send(`GET ${url} HTTP/1.1\r\nHost: ${host}\r\n${auth}Connection: close\r\n\r\n`)),
      )
    expect(rows.map(([url, host], index) => [url, host, statuses[index]])).toEqual(rows)
    const named = asked.map(({ headers }) => headers.host)
    expect(new Set(named)).toEqual(new Set([`good.example:${port}`, `127.0.0.1:${port}`]))
  })

  it.each([
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n'],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'],
    ['chunks that are not last', 'Transfer-Encoding: chunked, identity\r\n'],
    ['a name with a blank', 'Transfer-Encoding : chunked\r\n'],
    ['a folded line', 'X-A: b\r\n Transfer-Encoding: chunked\r\n'],
    ['two hosts', 'Host: other.example\r\n'],
    ['a bare line feed', 'X-A: b\nContent-Length: 4\r\n'],
  ])('with %s reaches no server with a second request in it', async (_name, lines) => {
    const { port, asked, auth, send } = await open()
    const head = `POST http://good.example:${port}/first HTTP/1.1\r\nHost: good.example:${port}\r\n${auth}${lines}\r\n`
    await send(`${head}0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: other.example\r\n\r\n`)
    expect(asked.filter(({ url }) => url !== '/first')).toEqual([])
  })

  it('carries no second request in a body whose length is named as a hop-by-hop header', async () => {
    const { port, asked, auth, send } = await open()
    const body = 'GET /smuggled HTTP/1.1\r\nHost: other.example\r\n\r\n'
    for (const method of ['GET', 'POST']) {
      const head = `${method} http://good.example:${port}/first HTTP/1.1\r\nHost: good.example:${port}\r\n${auth}`
      const lines = `Connection: close, content-length, host\r\nContent-Length: ${body.length}\r\n`
      await send(`${head}${lines}\r\n${body}`)
    }
    const first = ['/first', `good.example:${port}`, String(body.length)]
    expect(asked.map(({ url, headers }) => [url, headers.host, headers['content-length']])).toEqual([
      first,
      first,
    ])
  })

  it('needs the secret of a command', async () => {
    const { port, asked, send, proxy, gate } = await open()
    const head = `GET http://good.example:${port}/ HTTP/1.1\r\nHost: good.example:${port}\r\n`
    for (const line of ['', basic('0'.repeat(48)), 'Proxy-Authorization: Bearer x\r\n'])
      expect(statusOf(await send(`${head}${line}\r\n`))).toBe(407)
    proxy.shut(gate)
    expect(statusOf(await send(`${head}${basic(gate.secret)}\r\n`))).toBe(407)
    expect(asked).toEqual([])
  })
})

describe('CONNECT', () => {
  const targets = (port: number): readonly (readonly [string, number])[] => [
    [`good.example:${port}`, 200],
    [`GOOD.EXAMPLE.:${port}`, 200],
    [`x.y.wild.example:${port}`, 200],
    [`0x7f.1:${port}`, 200],
    [`[::ffff:7f00:1]:${port}`, 200],
    [`wild.example:${port}`, 403],
    [`bad.wild.example:${port}`, 403],
    [`badgood.example:${port}`, 403],
    [`[::1]:${port}`, 403],
    ['good.example:443', 403],
    ['open.example:443', 403], // leads to a loopback address that is not listed with this port
    ['open.example:22', 403],
    ['good.example', 400],
    [`http://good.example:${port}`, 400],
    [`user@good.example:${port}`, 400],
    [`good.example:${port}/path`, 400],
    ['good.example:0', 400],
    ['good.example:65536', 400],
    [`good.example%00:${port}`, 400],
    [`*.wild.example:${port}`, 400],
  ]

  it('is judged by host and port, however they are written', async () => {
    const { port, auth, send } = await open()
    const rows = targets(port)
    const statuses: number[] = []
    for (const [target] of rows)
      statuses.push(statusOf(await send(`CONNECT ${target} HTTP/1.1\r\n${auth}\r\n`)))
    expect(rows.map(([target], index) => [target, statuses[index]])).toEqual(rows)
    const otherHost = `Host: other.example:${port}\r\n`
    const answer = await send(`CONNECT good.example:${port} HTTP/1.1\r\n${otherHost}${auth}\r\n`)
    expect(statusOf(answer)).toBe(400)
  })

  it('to a host that is absent, or does not answer, tells so', async () => {
    const { proxy, gate } = await openProxy({ allow: ['absent.example', 'good.example:1', '127.0.0.1:1'] })
    const head = (target: string) => `CONNECT ${target} HTTP/1.1\r\n${basic(gate.secret)}\r\n`
    for (const target of ['absent.example:443', 'good.example:1'])
      expect(statusOf(await exchange(proxy.port, head(target)))).toBe(502)
    expect(gate.connections().map(({ reason }) => reason)).toEqual(['not-found', 'unreachable'])
  })

  it('asks the resolver once for each connection', async () => {
    const answers = ['127.0.0.1', '10.0.0.1']
    const names: string[] = []
    const resolver = async (name: string) => {
      names.push(name)
      return [answers[names.length - 1] ?? '10.0.0.1']
    }
    const { port, auth, send } = await proxied(undefined, { resolver })
    const head = `CONNECT good.example:${port} HTTP/1.1\r\n${auth}\r\n`
    expect(statusOf(await send(head))).toBe(200)
    expect(names).toEqual(['good.example'])
    expect(statusOf(await send(head))).toBe(403)
  })
})
