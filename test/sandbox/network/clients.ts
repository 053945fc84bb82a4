import { isInstalled } from '../../helpers/programs.ts'
import { words } from '../../helpers/words.ts'
import { missingIpv6 } from './servers.ts'

/** A program that talks to a server. Words in braces name what the servers offer, and the test's own programs. */
export interface Client {
  readonly name: string
  readonly argv: readonly string[]
  /** What it prints when it has talked. */
  readonly says: RegExp
  /** Where it ends with that all the same. Default 0. */
  readonly exitCode?: number
  /** Why it cannot be tried here, or null. */
  readonly missing?: () => string | null
  /** It ends at once for a user without an account. */
  readonly needsAccount?: true
}

const needs = (program: string) => () => (isInstalled(program) ? null : `${program} is not installed`)
const hello = /hello from loopback/

const curl = (name: string, ...words: readonly string[]): Client => ({
  name: `curl ${name}`,
  argv: ['curl', '-sS', ...words],
  says: hello,
  missing: needs('curl'),
})
/** A client of the server at ::1. */
const overIpv6 = (client: Client): Client => ({
  ...client,
  missing: () => client.missing?.() ?? missingIpv6(),
})
const node = (name: string, script: string, says: RegExp = hello): Client => ({
  name: `node ${name}`,
  argv: ['env', 'NODE_EXTRA_CA_CERTS={ca}', '{node}', '-e', script],
  says,
})
const python = (name: string, script: string, says: RegExp = hello): Client => ({
  name: `python ${name}`,
  argv: ['/usr/bin/python3', '-c', script],
  says,
  missing: needs('python3'),
})
const git = (name: string, path: string, missing = needs('git')): Client => ({
  name: `git ls-remote ${name}`,
  argv: ['git', '-c', 'http.sslCAInfo={ca}', 'ls-remote', `https://localhost:{tls}/${path}/project.git`],
  says: /^[0-9a-f]{40}\trefs\/heads\/main$/m,
  missing,
})

const fetchBy = (url: string) => `fetch('${url}').then((r) => r.text()).then((t) => console.log(t))`
const datagram = `const s = require('dgram').createSocket('udp4'); s.on('message', (m) => { console.log(String(m)); s.close() }); s.send('hello from loopback', {echo}, '127.0.0.1', (e) => { if (e) throw e })`
const urlopen = (url: string, more = '') =>
  `import ssl, urllib.request as u; print(u.urlopen("${url}"${more}).read().decode())`
export const clients: readonly Client[] = [
  curl('over http', 'http://127.0.0.1:{http}/hello'),
  curl('over https', '--cacert', '{ca}', 'https://localhost:{tls}/hello'),
  overIpv6(curl('to ::1', 'http://[::1]:{six}/hello')),
  curl('by a name where only IPv4 answers', 'http://localhost:{http}/hello'),
  overIpv6(curl('by a name where only IPv6 answers', 'http://localhost:{six}/hello')),
  {
    name: 'wget',
    argv: ['wget', '-qO-', '--tries=1', 'http://127.0.0.1:{http}/hello'],
    says: hello,
    missing: needs('wget'),
  },
  git('from plain files', 'dumb'),
  node('fetch over http', fetchBy('http://127.0.0.1:{http}/hello')),
  node('fetch over https', fetchBy('https://localhost:{tls}/hello')),
  overIpv6(node('fetch from ::1', fetchBy('http://[::1]:{six}/hello'))),
  node('dgram', datagram),
  python('urllib over http', urlopen('http://127.0.0.1:{http}/hello')),
  python(
    'urllib over https',
    urlopen('https://localhost:{tls}/hello', ', context=ssl.create_default_context(cafile="{ca}")'),
  ),
  {
    name: 'npm view of what is not to be cached', // else npm fails where it cannot write its cache
    argv: ['npm', 'view', '--fetch-retries=0', '--registry=http://127.0.0.1:{http}/', 'made-up', 'version'],
    says: /^1\.2\.3$/m,
    missing: needs('npm'),
  },
  {
    name: 'pip index',
    argv: words(`
      /usr/bin/python3 -m pip index versions --retries=0 --index-url http://127.0.0.1:{http}/simple made-up
    `),
    says: /1\.2\.3/,
    missing: needs('pip3'),
  },
  {
    name: 'ssh',
    argv: words(`
      ssh -v -F /dev/null -o BatchMode=yes -o UserKnownHostsFile=/dev/null -p {ssh} 127.0.0.1
    `),
    says: /remote software version vitrine-test/,
    exitCode: 255,
    missing: needs('ssh'),
    needsAccount: true,
  },
]
