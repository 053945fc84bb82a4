// Fetches what the suites of other projects need that no installed package has: their tests, of Debian's source packages, and their
// dependencies, of npm. Keeps what is there already, and names what cannot be had: its tests are then skipped.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cache } from './cache.mjs'
import { root } from './freshness.mjs'
import { npm } from './npm.mjs'

const directory = join(cache, 'suites')
const keys = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** A tarball of a source package, and what of it goes where. The releases are those whose versions the npm packages have as well. */
const sources = [
  {
    ...{ package: 'node-express', release: 'bookworm', file: /^node-express_4\.18\.2.*\.orig\.tar\.gz$/ },
    ...{ into: 'node_modules/express', members: ['test', 'examples'] },
  },
  {
    ...{ package: 'node-ws', release: 'trixie', file: /^node-ws_8\.18\.1.*\.orig\.tar\.gz$/ },
    ...{ into: 'node_modules/ws', members: ['test'] },
  },
  {
    ...{ package: 'perl', release: 'bookworm', file: /^perl_5\.36\.0\.orig\.tar\.xz$/ },
    ...{ into: 'perl', members: ['dist/IO/t', 'cpan/IO-Socket-IP', 'cpan/Socket', 't/test.pl', 't/lib'] },
  },
]

function run(program, args, options = {}) {
  const { status, stdout, error } = spawnSync(program, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 2],
    maxBuffer: 1e8,
    ...options,
  })
  if (status !== 0) throw new Error(error?.message ?? `${program} ${args[0]} failed (${status})`)
  return stdout
}

/** The dependencies of all of them, pinned. */
function installPackages() {
  const from = join(root, 'scripts/suites')
  const lock = readFileSync(join(from, 'package-lock.json'), 'utf8')
  const stamp = join(directory, 'installed.json')
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory, { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(from, name), join(directory, name))
  const { status } = npm(['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: directory,
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) throw new Error('npm ci failed')
  writeFileSync(stamp, lock)
}

/** apt with the sources of one release, from the mirror of this machine: its own lists are not touched, and root is not needed. */
function aptFor(release, place) {
  const filter = ['Created-By: Packages', 'Origin: Debian', 'Label: Debian', 'Component: main']
  const [mirror] = run('apt-get', ['indextargets', '--format', '$(REPO_URI)', ...filter]).split('\n')
  if (!mirror) throw new Error('apt has no mirror of Debian')
  for (const path of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(join(place, path), { recursive: true })
  writeFileSync(join(place, 'sources.list'), `deb-src [signed-by=${keys}] ${mirror} ${release} main\n`)
  const options = {
    'Dir::Etc::sourcelist': join(place, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::State::lists': join(place, 'lists'),
    'Dir::Cache': join(place, 'cache'),
    'APT::Sandbox::User': '',
  }
  return Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
}

/** Where apt would get the tarball from, and its digest as the signed index has it. */
function locate({ package: name, release, file }, place) {
  const options = aptFor(release, place)
  run('apt-get', [...options, '-qq', 'update'])
  for (const line of run('apt-get', [...options, '-qq', 'source', '--print-uris', name]).split('\n')) {
    const [uri = '', path = '', , digest = ''] = line.split(' ')
    if (file.test(path)) return { uri: uri.replaceAll("'", ''), digest: digest.replace('SHA256:', '') }
  }
  throw new Error(`${release} has no such tarball of ${name}`)
}

async function download({ uri, digest }, path) {
  const response = await fetch(uri)
  if (!response.ok) throw new Error(`${response.status} for ${uri}`)
  const bytes = Buffer.from(await response.arrayBuffer())
  if (createHash('sha256').update(bytes).digest('hex') !== digest) throw new Error(`another digest: ${uri}`)
  writeFileSync(path, bytes)
}

async function fetchSource(source) {
  const into = join(directory, source.into)
  if (source.members.every((member) => existsSync(join(into, member)))) return
  const place = mkdtempSync(join(directory, 'fetch-'))
  try {
    const tarball = join(place, 'source.tar')
    await download(locate(source, place), tarball)
    mkdirSync(into, { recursive: true })
    const members = source.members.map((member) => `*/${member}`)
    run('tar', [
      'xf',
      tarball,
      '-C',
      into,
      '--strip-components=1',
      '--no-wildcards-match-slash',
      '--wildcards',
      ...members,
    ])
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function attempt(what, fetchIt) {
  try {
    await fetchIt()
    return true
  } catch (error) {
    console.error(`suites: not fetched: ${what}: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

if (await attempt('npm packages', installPackages))
  for (const source of sources) await attempt(source.package, () => fetchSource(source))
