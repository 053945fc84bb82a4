import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { keptBeneath, seatbeltProfile } from '../../src/sandbox/macos/profile.ts'
import { macosSandbox } from '../../src/sandbox/macos/sandbox.ts'
import { type Changes, readEverything } from '../../src/sandbox/sandbox.ts'
import { changesFor } from '../../src/sandbox/workspace/changes.ts'
import { makeDirectory } from '../helpers/place.ts'
import { words } from '../helpers/words.ts'
import { unavailable } from './hosts.ts'
import { doubleOf, launchIn } from './macos-doubles.ts'
import { evaluate, type Rules, readProfile } from './sbpl.ts'

const temporary = '/private/tmp/vitrine-1'

function rulesFor(changes: Changes): Rules {
  const options = { network: 'none' as const, privateTmp: temporary, changes: keptBeneath(changes) }
  const { text, parameters } = seatbeltProfile(options)
  return readProfile(text, parameters)
}

const small: Changes = {
  roots: ['/Users/me/work', '/Users/me/.cache/pip'],
  protected: ['.envrc', '.husky', '.github/workflows', '.git/config', '.git/info/attributes', 'größe'].map(
    (path) => join('/Users/me/work', path),
  ),
  closed: [],
  unmade: [],
}

const everyWrite = words(`
  file-write-create file-write-data file-write-unlink file-write-mode file-write-owner file-write-times
  file-write-flags file-write-xattr
`)
/** What brings a name into being or takes it away: mkdir, rename, unlink, symlink. */
const naming = ['file-write-create', 'file-write-unlink']

/** Those of the operations that the profile allows. */
function allowed(rules: Rules, operations: readonly string[], path: string): string[] {
  return operations.filter((operation) => evaluate(rules, { operation, path }) === 'allow')
}

describe('the profile of workspace mode on macOS', () => {
  const rules = rulesFor(small)

  it.each([
    ...words(`
    a.ts sub/dir/a.ts .git/index.lock .git/configuration .git/objects/ab/cdef .git/info/exclude .github/CODEOWNERS
    .envrc.example x.envrc .hsky sub/.envrc sub/.git/config größer ../.cache/pip/x ../.cache/pip/.envrc
    `).map((name) => join('/Users/me/work', name)),
    ...[`${temporary}/x`, `${temporary}/.git/config`],
  ])('opens %s', (path) => {
    expect(allowed(rules, everyWrite, path)).toEqual(everyWrite)
  })

  it.each(
    words(`
    ../a.ts ../workshop/a.ts ../.cache/x ../.ssh/id_rsa /etc/hosts /private/tmp/x .envrc .husky .husky/_/husky.sh
    .github/workflows .github/workflows/ci.yml .git/config .git/config/..namedfork/rsrc .git/info/attributes größe
  `),
  )('shuts %s', (name) => {
    expect(allowed(rules, everyWrite, resolve('/Users/me/work', name))).toEqual([])
  })

  it.each([
    ['upper case', '/Users/me/work/.ENVRC'],
    ['a long s', '/Users/me/work/.hu\u017fky'],
    ['the Kelvin sign', '/Users/me/work/.hus\u212ay'],
    ['both, in a place', '/Users/me/work/.HU\u017f\u212aY/pre-commit'],
    ['a ligature', '/Users/me/work/.git/con\ufb01g'],
    ['a code point that HFS+ ignores', '/Users/me/work/.en\u200cvrc'],
    ['one that HFS+ ignores at the end', '/Users/me/work/.envrc\ufeff'],
    ['a directory above in upper case', '/Users/me/work/.GIT/Config'],
    ['a directory above with ignored code points', '/Users/me/work/.g\u200dit/config'],
    ['letters taken apart', '/Users/me/work/größe'.normalize('NFD')],
    ['capital letters beyond ASCII', '/Users/me/work/GRÖSSE'],
  ])('shuts a protected path in another spelling: %s', (_, path) => {
    expect(allowed(rules, everyWrite, path)).toEqual([])
  })

  it.each(words('. ../.cache/pip .git .GIT .git/info .github'))(
    'neither moves nor makes %s, which leads to what is protected',
    (name) => {
      const path = resolve('/Users/me/work', name)
      expect(allowed(rules, naming, path)).toEqual([])
      expect(evaluate(rules, { operation: 'file-write-times', path })).toBe('allow')
    },
  )

  it('shuts what links lead to, and the links', () => {
    const root = realpathSync(makeDirectory())
    mkdirSync(join(root, 'real/inner'), { recursive: true })
    symlinkSync('second', join(root, '.envrc'))
    symlinkSync(join(root, 'real/../real/inner/envrc'), join(root, 'second'))
    symlinkSync('loop', join(root, 'loop'))
    for (const name of ['.husky/deep', 'scripts']) mkdirSync(join(root, name), { recursive: true })
    symlinkSync('../../way/check', join(root, '.husky/deep/pre-commit'))
    symlinkSync('scripts', join(root, 'way'))
    const names = ['.envrc', 'loop/x', '.husky'].map((name) => join(root, name))
    const linked = rulesFor({ roots: [root], protected: names, closed: [], unmade: [] })
    for (const name of ['.envrc', 'second', 'real/inner/envrc', 'loop', 'scripts/check', 'way'])
      expect(allowed(linked, everyWrite, join(root, name)), name).toEqual([])
    for (const name of ['real', 'real/inner'])
      expect(allowed(linked, naming, join(root, name)), name).toEqual([])
    expect(allowed(linked, everyWrite, join(root, 'real/inner/other'))).toEqual(everyWrite)
  })

  describe('with what cannot be read', () => {
    const names = { beneath: '/Users/me/work', patterns: ['.env'], except: ['.env.example'], skip: [] }
    const unreadable = ['/Users/me/work/keys/own', '/Users/me/work/.git/modules/new/x']
    let rules: Rules
    let read: (path: string) => string
    beforeAll(async () => {
      const { tool, calls } = doubleOf()
      const reads = { readable: null, unreadable, names }
      const changes = { ...small, closed: ['/Users/me/work/.git/modules'] }
      const given = { network: 'none' as const, reads, privateTmp: false, changes }
      const sandbox = macosSandbox(tool)
      const confinement = sandbox.privateDirectories?.grant(sandbox.confine(given), temporary)
      if (!confinement) throw new Error('there is no private tmp')
      await launchIn(confinement, 'exit 0')
      const [, profile = '', ...rest] = calls().at(-1) ?? []
      const parameters = rest.filter((word) => word.startsWith('-D')).map((word) => word.slice(2).split('='))
      rules = readProfile(profile, Object.fromEntries(parameters))
      read = (path) => evaluate(rules, { operation: 'file-read-data', path })
    })

    it.each([
      ['/Users/me/work/keys/own', everyWrite, []],
      ['/Users/me/work/keys/own/a', everyWrite, []],
      ['/Users/me/work/.env', naming, ['file-write-create']],
      ['/Users/me/work/a/.env', naming, ['file-write-create']],
    ])('keeps %s where it is: of %j it allows %j', (path, operations, left) => {
      expect(read(path)).toBe('deny')
      expect(allowed(rules, operations, path)).toEqual(left)
    })

    it('moves no directory above it, and opens nothing that is closed', () => {
      expect(allowed(rules, naming, '/Users/me/work/keys')).toEqual([])
      expect(allowed(rules, everyWrite, '/Users/me/work/keys/other')).toEqual(everyWrite)
      for (const name of ['new', 'new/config'])
        expect(allowed(rules, everyWrite, `/Users/me/work/.git/modules/${name}`), name).toEqual([])
    })
  })
})

describe('what git and editors obey, under the profile of a repository', () => {
  let workspace = ''
  let changes: Changes
  beforeAll(() => {
    workspace = realpathSync(makeDirectory())
    execFileSync('git', ['init', '-q', workspace])
    mkdirSync(join(workspace, '.git/modules/lib/hooks'), { recursive: true })
    writeFileSync(join(workspace, '.git/modules/lib/HEAD'), 'ref: refs/heads/main\n')
    mkdirSync(join(workspace, '.git/modules/group/deep/hooks'), { recursive: true })
    writeFileSync(join(workspace, '.git/modules/group/deep/HEAD'), 'ref: refs/heads/main\n')
    mkdirSync(join(workspace, '.git/worktrees/other'), { recursive: true })
    const wanted = { workspace, writable: [], protected: ['default'], gitConfigs: [] }
    const found = changesFor({ ...wanted, own: { home: '/nonexistent', others: [] } }, [])
    if ('reason' in found) throw new Error(found.reason)
    changes = found
  })

  it('is shut, with the way to it, in lower and in upper case', () => {
    const rules = rulesFor(changes)
    expect(changes.protected.length).toBeGreaterThan(30)
    for (const path of changes.protected) {
      const shouted = join(workspace, path.slice(workspace.length).toUpperCase())
      for (const name of [path, shouted, join(path, 'x')])
        expect(allowed(rules, everyWrite, name), name).toEqual([])
      for (let above = dirname(path); above.length >= workspace.length; above = dirname(above))
        expect(allowed(rules, naming, above), above).toEqual([])
    }
  })

  it.each(['new', 'new/HEAD', 'group/new', 'group/new/config', 'LIB2', 'libs/config'])(
    'shuts .git/modules/%s, where a submodule could be made',
    (name) => {
      expect(allowed(rulesFor(changes), everyWrite, join(workspace, '.git/modules', name))).toEqual([])
    },
  )

  it('leaves open what git writes', () => {
    const rules = rulesFor(changes)
    const written = words('index HEAD.lock objects/pack/x refs/heads/main modules/lib/index COMMIT_EDITMSG')
    for (const name of written) {
      const path = join(workspace, '.git', name)
      expect(allowed(rules, everyWrite, path), name).toEqual(everyWrite)
    }
  })
})

describe('workspace mode on macOS', () => {
  const options = { network: 'none', reads: readEverything, privateTmp: false, changes: small } as const

  it('gives sandbox-exec its profile, tried out before the command', async () => {
    const { tool, calls } = doubleOf()
    const sandbox = macosSandbox(tool)
    const { stdout } = await launchIn(sandbox.confine(options), 'echo ran')
    expect(stdout).toBe('ran\n')
    expect(calls()).toHaveLength(2)
    for (const [, profile = '', ...rest] of calls()) {
      expect(profile).toContain('(allow file-write* (subpath (param "PATH_0")))')
      expect(rest.slice(0, 2)).toEqual(['-DPATH_0=/Users/me/work', '-DPATH_1=/Users/me/.cache/pip'])
    }
    const { workspace } = sandbox.enforcement(options)
    expect(workspace).toMatchObject({ enforced: true, by: 'seatbelt' })
  })

  it.each([
    ['nothing where the other name is not protected', 'hooks'],
    ['where both names are protected', '.envrc'],
  ])('with a hard link to a protected file runs %s', (_, other) => {
    const root = realpathSync(makeDirectory())
    const [file, link] = [join(root, '.husky/pre-commit'), join(root, other)]
    mkdirSync(join(root, '.husky'))
    writeFileSync(file, '')
    linkSync(file, link)
    const names = [join(root, '.husky'), join(root, '.envrc')]
    const changes: Changes = { roots: [root], protected: names, closed: [], unmade: [] }
    const { tool, calls } = doubleOf()
    const confining = () => macosSandbox(tool).confine({ ...options, changes })
    if (names.includes(link)) expect(confining).not.toThrow()
    else expect(confining).toThrow(unavailable(file))
    expect(calls()).toHaveLength(names.includes(link) ? 1 : 0)
  })
})
