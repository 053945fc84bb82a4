import { describe, expect, it } from 'vitest'
import { publicSuffixIn } from '../../src/host/load-config.ts'
import { suffixWildcard } from '../../src/messages/sandbox/network.ts'
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

/** As written, and the one form that is compared and connected to; null: refused. */
const hosts: readonly (readonly [string, string | null])[] = [
  ['example.com', 'example.com'],
  ['EXAMPLE.Com', 'example.com'],
  ['example.com.', 'example.com'],
  ['example.com..', null],
  ['.example.com', null],
  ['a..b', null],
  ['localhost', 'localhost'],
  ['localhost.', 'localhost'],
  ['_dmarc.example.com', '_dmarc.example.com'],
  ['a-b.example', 'a-b.example'],
  ['-a.example', null],
  ['a-.example', null],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  [`${'a'.repeat(64)}.example`, null],
  [`${'a.'.repeat(126)}a`, `${'a.'.repeat(126)}a`],
  [`${'a.'.repeat(127)}a`, null],
  // names in other scripts
  ['bücher.example', 'xn--bcher-kva.example'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['ex\u00adample.com', 'example.com'],
  ['example。com', 'example.com'],
  ['ｅｘａｍｐｌｅ.com', 'example.com'],
  ['аpple.com', 'xn--pple-43d.com'], // a Cyrillic a
  ['xn--a', null],
  // IPv4
  ['127.0.0.1', '127.0.0.1'],
  ['127.0.0.1.', '127.0.0.1'],
  ['127.1', '127.0.0.1'],
  ['2130706433', '127.0.0.1'],
  ['0x7f000001', '127.0.0.1'],
  ['0x7f.1', '127.0.0.1'],
  ['0177.0.0.1', '127.0.0.1'],
  ['0177.0.0.01', '127.0.0.1'],
  ['0', '0.0.0.0'],
  ['１２７.0.0.1', '127.0.0.1'],
  ['256.0.0.1', null],
  ['1.2.3.4.5', null],
  ['127.0.0.0x1', '127.0.0.1'],
  ['4294967296', null],
  // IPv6
  ['::1', '::1'],
  ['[::1]', '::1'],
  ['[0:0:0:0:0:0:0:1]', '::1'],
  ['[2001:DB8::0001]', '2001:db8::1'],
  ['::ffff:127.0.0.1', '127.0.0.1'],
  ['[::FFFF:7f00:1]', '127.0.0.1'],
  ['[::ffff:0:0]', '0.0.0.0'],
  ['[::127.0.0.1]', '::7f00:1'],
  ['[64:ff9b::127.0.0.1]', '64:ff9b::7f00:1'],
  ['fe80::1%eth0', null],
  ['[fe80::1%25eth0]', null],
  ['[::1', null],
  ['::1]', null],
  ['[::1]x', null],
  ['[::1]:80', null],
  ['1::2::3', null],
  // what is no host
  ['', null],
  [' ', null],
  ['.', null],
  ['*', null],
  ['*.example.com', null],
  ['user@example.com', null],
  ['user:password@example.com', null],
  ['example.com@evil.example', null],
  ['example.com/evil.example', null],
  ['example.com\\evil.example', null],
  ['example.com#evil.example', null],
  ['example.com?evil.example', null],
  ['example.com evil.example', null],
  ['example.com\r\nHost: evil.example', null],
  ['example.com\t', null],
  ['example.com\u0000.evil.example', null],
  ['example%2ecom', null],
  ['%65xample.com', null],
  ['example.com:443', null],
  ['https://example.com', null],
  ['ex ample.com', null],
  ['exa|mple.com', null],
  ['exa^mple.com', null],
  ['exa<mple.com', null],
]

/** As written in the configuration; host, port; null: refused. */
const patterns: readonly { text: string; form: string | null; port?: number }[] = [
  { text: 'example.com', form: 'example.com' },
  { text: 'Example.COM.:8443', form: 'example.com', port: 8443 },
  { text: '*.example.com', form: '*.example.com' },
  { text: '*.example.com:443', form: '*.example.com', port: 443 },
  { text: '*.bücher.example', form: '*.xn--bcher-kva.example' },
  { text: '[::1]:8080', form: '::1', port: 8080 },
  { text: '[::1]', form: '::1' },
  { text: '::1', form: '::1' },
  { text: '0x7f.1:80', form: '127.0.0.1', port: 80 },
  { text: '[::ffff:10.0.0.1]:80', form: '10.0.0.1', port: 80 },
  { text: 'example.com:', form: null },
  { text: 'example.com:0', form: null },
  { text: 'example.com:65536', form: null },
  { text: 'example.com:+80', form: null },
  { text: 'example.com:080', form: 'example.com', port: 80 },
  { text: 'example.com:http', form: null },
  { text: 'example.com:80:80', form: null },
  { text: '::1:8080:', form: null },
  { text: '*', form: null },
  { text: '*.', form: null },
  { text: '*:443', form: null },
  { text: '*.*.example.com', form: null },
  { text: 'a.*.example.com', form: null },
  { text: '*example.com', form: null },
  { text: '**.example.com', form: null },
  { text: '*.127.0.0.1', form: null },
  { text: '*.[::1]', form: null },
  { text: 'user@example.com', form: null },
  { text: 'https://example.com', form: null },
  { text: 'example.com/path', form: null },
  { text: '.example.com', form: null },
  { text: '10.0.0.0/8', form: null },
  { text: '', form: null },
]

/** Pattern, host, port, whether it is allowed. */
const matching: readonly (readonly [string, string, number, boolean])[] = [
  ['example.com', 'example.com', 443, true],
  ['example.com', 'example.com', 80, true],
  ['example.com', 'example.com', 8443, false],
  ['example.com', 'example.com', 22, false],
  ['example.com:8443', 'example.com', 8443, true],
  ['example.com:8443', 'example.com', 443, false],
  ['example.com', 'EXAMPLE.COM.', 443, true],
  ['example.com', 'www.example.com', 443, false],
  ['example.com', 'badexample.com', 443, false],
  ['example.com', 'example.com.evil.example', 443, false],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'www.example.com', 443, true],
  ['*.example.com', 'a.b.c.example.com', 443, true],
  ['*.example.com', 'badexample.com', 443, false],
  ['*.example.com', '*.example.com', 443, false],
  ['*.example.com:8080', 'a.example.com', 8080, true],
  ['bücher.example', 'xn--bcher-kva.example', 443, true],
  ['xn--bcher-kva.example', 'BÜCHER.example', 443, true],
  ['127.0.0.1:80', '2130706433', 80, true],
  ['127.0.0.1:80', '[::ffff:7f00:1]', 80, true],
  ['127.0.0.1:80', '127.0.0.2', 80, false],
  ['[::1]:80', '[0:0::1]', 80, true],
  ['*.0.0.1.example', '127.0.0.1', 80, false],
]

const shown = (text: string) => {
  const pattern = parseHostPattern(text)
  return pattern ? `${pattern.wildcard ? '*.' : ''}${pattern.host.name}` : null
}

function parsed(texts: readonly string[]) {
  return texts.map((text) => {
    const pattern = parseHostPattern(text)
    if (!pattern) throw new Error(`no pattern: ${text}`)
    return pattern
  })
}

describe('a host', () => {
  it.each(hosts)('%j has the form %j', (text, form) => {
    expect(parseHost(text)?.name ?? null).toBe(form)
  })

  it.each(hosts.filter(([, form]) => form !== null))('%j in that form stays as it is', (text) => {
    const host = parseHost(text)
    expect(parseHost(host?.name ?? '')).toEqual(host)
  })

  it('is written with its port, IPv6 in brackets', () => {
    const texts = ['example.com', '127.1', '::1'].map((text) => {
      const host = parseHost(text)
      return host && hostAndPort(host, 80)
    })
    expect(texts).toEqual(['example.com:80', '127.0.0.1:80', '[::1]:80'])
  })
})

describe('an entry of the list', () => {
  it.each(patterns)('$text names $form', ({ text, form, port }) => {
    expect(shown(text)).toBe(form)
    expect(parseHostPattern(text)?.port).toBe(port)
  })

  it.each(matching)('%j, asked for %j port %d: %j', (text, asked, port, allowed) => {
    const host = parseHost(asked)
    const [pattern] = parsed([text])
    expect(host !== undefined && pattern !== undefined && allows(pattern, host, port)).toBe(allowed)
  })

  it('without a port denies every port', () => {
    const [pattern] = parsed(['example.com'])
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
    const [pattern] = parsed([text])
    expect(pattern && isCovered(pattern, parsed(outer))).toBe(covered)
  })
})

describe('a wildcard over a public suffix', () => {
  it('is found, whichever kind of suffix it is', async () => {
    const suffixes = words(`
      *.com *.co.uk *.github.io *.s3.amazonaws.com *.corp *.xn--p1ai:443 *.ck
    `)
    const others = [
      '*.example.com',
      '*.example.co.uk',
      '*.user.github.io',
      '*.npmjs.org',
      '*.corp.example',
      'com',
    ]
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
