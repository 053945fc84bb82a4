import { describe, expect, it } from 'vitest'
import { publicSuffixIn, suffixWildcard } from '../../src/host/load-config.ts'
import {
  allows,
  denies,
  hostAndPort,
  isCovered,
  parseHost,
  parseHostPattern,
} from '../../src/network/hosts.ts'
import { openTestShell } from '../helpers/place.ts'
import { words } from '../helpers/words.ts'
import { patternsOf } from './surroundings.ts'

/** The one form that is compared and connected to, and how it may be written. */
const spellings: readonly (readonly [string, string])[] = [
  ['example.com', 'example.com EXAMPLE.Com example.com. ex\u00adample.com example。com ｅｘａｍｐｌｅ.com'],
  ['localhost', 'localhost localhost.'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['a-b.example', 'a-b.example'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
  ['xn--bcher-kva.example', 'bücher.example BÜCHER.example xn--bcher-kva.example XN--BCHER-KVA.example'],
  ['xn--fa-hia.example', 'faß.example'],
  ['xn--pple-43d.com', 'аpple.com'], // a Cyrillic a
  [
    '127.0.0.1',
    `127.0.0.1 127.0.0.1. 127.1 2130706433 0x7f000001 0x7f.1 0177.0.0.1 0177.0.0.01 １２７.0.0.1 127.0.0.0x1
    ::ffff:127.0.0.1 [::FFFF:7f00:1]`,
  ],
  ['0.0.0.0', '0 [::ffff:0:0]'],
  ['::1', '::1 [::1] [0:0:0:0:0:0:0:1]'],
  ['2001:db8::1', '[2001:DB8::0001]'],
  ['::7f00:1', '[::127.0.0.1]'],
  ['64:ff9b::7f00:1', '[64:ff9b::127.0.0.1]'],
]

const noHosts = [
  ...words(`
    example.com.. .example.com a..b -a.example a-.example xn--a 256.0.0.1 1.2.3.4.5 4294967296 fe80::1%eth0
    [fe80::1%25eth0] [::1 ::1] [::1]x [::1]:80 1::2::3 . * *.example.com user@example.com
    user:password@example.com example.com@evil.example example.com/evil.example example.com\\evil.example
    example.com#evil.example example.com?evil.example example%2ecom %65xample.com example.com:443
    https://example.com exa|mple.com exa^mple.com exa<mple.com`),
  ...[`${'a'.repeat(64)}.example`, `${'a.'.repeat(127)}a`, '', ' ', 'example.com evil.example'],
  ...['ex ample.com', 'example.com\r\nHost: evil.example', 'example.com\t', 'example.com\u0000.evil.example'],
]

/** As written in the configuration; what it names; the port. */
const patterns = [
  ['example.com', 'example.com'],
  ['Example.COM.:8443', 'example.com', 8443],
  ['example.com:080', 'example.com', 80],
  ['*.example.com', '*.example.com'],
  ['*.example.com:443', '*.example.com', 443],
  ['*.bücher.example', '*.xn--bcher-kva.example'],
  ['[::1]:8080', '::1', 8080],
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['0x7f.1:80', '127.0.0.1', 80],
  ['[::ffff:10.0.0.1]:80', '10.0.0.1', 80],
] as const

const noPatterns = [
  ...words(`
    example.com: example.com:0 example.com:65536 example.com:+80 example.com:http example.com:80:80 ::1:8080:
    * *. *:443 *.*.example.com a.*.example.com *example.com **.example.com *.127.0.0.1 *.[::1] user@example.com
    https://example.com example.com/path .example.com 10.0.0.0/8`),
  '',
]

/** Pattern, what it allows, what it does not, each HOST PORT. */
const matching: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  [
    'example.com',
    ['example.com 443', 'example.com 80', 'EXAMPLE.COM. 443'],
    [
      ...['example.com 8443', 'example.com 22', 'www.example.com 443', 'badexample.com 443'],
      'example.com.evil.example 443',
    ],
  ],
  ['example.com:8443', ['example.com 8443'], ['example.com 443']],
  [
    '*.example.com',
    ['www.example.com 443', 'a.b.c.example.com 443'],
    ['example.com 443', 'badexample.com 443', '*.example.com 443'],
  ],
  ['*.example.com:8080', ['a.example.com 8080'], []],
  ['bücher.example', ['xn--bcher-kva.example 443'], []],
  ['xn--bcher-kva.example', ['BÜCHER.example 443'], []],
  ['127.0.0.1:80', ['2130706433 80', '[::ffff:7f00:1] 80'], ['127.0.0.2 80']],
  ['[::1]:80', ['[0:0::1] 80'], []],
  ['*.0.0.1.example', [], ['127.0.0.1 80']],
]

const shown = (text: string) => {
  const pattern = parseHostPattern(text)
  return pattern ? `${pattern.wildcard ? '*.' : ''}${pattern.host.name}` : null
}

describe('a host', () => {
  it.each(spellings)('%j is the form of %j', (form, texts) => {
    for (const text of [...texts.split(/\s+/), form])
      expect([text, parseHost(text)?.name]).toEqual([text, form])
    expect(parseHost(form)).toEqual(parseHost(parseHost(form)?.name ?? ''))
  })

  it.each(noHosts)('%j is none', (text) => {
    expect(parseHost(text)).toBeUndefined()
  })

  it('is written with its port, IPv6 in brackets', () => {
    const hosts = ['example.com', '127.1', '::1'].map((text) => parseHost(text) ?? expect.fail(text))
    expect(hosts.map((host) => hostAndPort(host, 80))).toEqual(['example.com:80', '127.0.0.1:80', '[::1]:80'])
  })
})

describe('an entry of the list', () => {
  it.each(patterns)('%j names %j, port %j', (text, form, port?: number) => {
    expect([shown(text), parseHostPattern(text)?.port]).toEqual([form, port])
  })

  it.each(noPatterns)('%j is none', (text) => {
    expect(parseHostPattern(text)).toBeUndefined()
  })

  it.each(matching)('%j allows %j, and not %j', (text, allowed, refused) => {
    const [pattern] = patternsOf([text])
    const isAllowed = (asked: string) => {
      const [name = '', port] = asked.split(' ')
      const host = parseHost(name)
      return host !== undefined && pattern !== undefined && allows(pattern, host, Number(port))
    }
    expect([...allowed, ...refused].filter(isAllowed)).toEqual(allowed)
  })

  it('without a port denies every port', () => {
    const [pattern] = patternsOf(['example.com'])
    const host = parseHost('example.com')
    expect(pattern && host && denies(pattern, host, 22)).toBe(true)
  })
})

describe('a list inside of another', () => {
  const outer = ['example.com', '*.example.org', '*.deep.example.net:8443', '127.0.0.1:80']
  it.each([
    ['example.com', true],
    ['example.com:443', true],
    ['example.com:22', false],
    ['*.example.com', false],
    ['a.example.org', true],
    ['*.example.org', true],
    ['*.a.example.org:80', true],
    ['example.org', false],
    ['*.org', false],
    ['x.deep.example.net', false],
    ['x.deep.example.net:8443', true],
    ['127.0.0.1', false],
    ['127.0.0.1:80', true],
    ['[::ffff:127.0.0.1]:80', true],
  ] as const)('%j is covered: %j', (text, covered) => {
    const [pattern] = patternsOf([text])
    expect(pattern && isCovered(pattern, patternsOf(outer))).toBe(covered)
  })
})

describe('a wildcard over a public suffix', () => {
  it('is found, whichever kind of suffix it is', async () => {
    const suffixes = words('*.com *.co.uk *.github.io *.s3.amazonaws.com *.corp *.xn--p1ai:443 *.ck')
    const others = words('*.example.com *.example.co.uk *.user.github.io *.npmjs.org *.corp.example com')
    const found = await Promise.all([...suffixes, ...others].map((text) => publicSuffixIn([text])))
    expect(found.filter((text) => text !== undefined)).toEqual(suffixes)
  })

  it('is refused with the name of where it was written', async () => {
    const got = suffixWildcard('*.com')
    await expect(openTestShell({ network: ['*.com'] })).rejects.toMatchObject({
      refusal: { code: 'INVALID_REQUEST', problem: { field: 'network', got } },
    })
    await expect(openTestShell({ toml: '[shell]\nnetwork = ["*.com"]' })).rejects.toMatchObject({
      refusal: {
        code: 'CONFIG_INVALID',
        key: 'shell.network',
        line: 2,
        column: 11,
        excerpt: '2 | network = ["*.com"]\n  |           ^^^^^^^^^',
        problem: { kind: 'bad-value', got },
      },
    })
  })
})
