import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
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
    '/Users/me/work/a.ts',
    '/Users/me/work/sub/dir/a.ts',
    '/Users/me/work/.git/index.lock',
    '/Users/me/work/.git/configuration',
    '/Users/me/work/.git/objects/ab/cdef',
    '/Users/me/work/.git/info/exclude',
    '/Users/me/work/.github/CODEOWNERS',
    '/Users/me/work/.envrc.example',
    '/Users/me/work/x.envrc',
    '/Users/me/work/.hsky',
    '/Users/me/work/sub/.envrc',
    '/Users/me/work/sub/.git/config',
    '/Users/me/work/größer als',
    '/Users/me/.cache/pip/x',
    '/Users/me/.cache/pip/.envrc',
    `${temporary}/x`,
    `${temporary}/.git/config`,
  ])('opens %s', (path) => {
    expect(allowed(rules, everyWrite, path)).toEqual(everyWrite)
  })

  it.each(
    words(`
    /Users/me/a.ts /Users/me/workshop/a.ts /Users/me/.cache/x /Users/me/.ssh/id_rsa /etc/hosts
    /private/tmp/x /Users/me/work/.envrc /Users/me/work/.husky /Users/me/work/.husky/_/husky.sh
    /Users/me/work/.github/workflows /Users/me/work/.github/workflows/ci.yml /Users/me/work/.git/config
    /Users/me/work/.git/config/..namedfork/rsrc /Users/me/work/.git/info/attributes /Users/me/work/größe
  `),
  )('shuts %s', (path) => {
    expect(allowed(rules, everyWrite, path)).toEqual([])
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

  it.each([
    '/Users/me/work',
    '/Users/me/.cache/pip',
    '/Users/me/work/.git',
    '/Users/me/work/.GIT',
    '/Users/me/work/.git/info',
    '/Users/me/work/.github',
  ])('neither moves nor makes %s, which leads to what is protected', (path) => {
    expect(allowed(rules, naming, path)).toEqual([])
    expect(evaluate(rules, { operation: 'file-write-times', path })).toBe('allow')
  })

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
    const linked = rulesFor({ roots: [root], protected: names, closed: [] })
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

    it.each(['/Users/me/work/keys/own', '/Users/me/work/keys/own/a'])(
      'neither changes nor moves %s',
      (path) => {
        expect(read(path)).toBe('deny')
        expect(allowed(rules, everyWrite, path)).toEqual([])
      },
    )

    it.each(['/Users/me/work/.env', '/Users/me/work/a/.env'])('does not move %s', (path) => {
      expect(read(path)).toBe('deny')
      expect(allowed(rules, naming, path)).toEqual(['file-write-create'])
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
    const written = [
      'index',
      'HEAD.lock',
      'objects/pack/x',
      'refs/heads/main',
      'modules/lib/index',
      'COMMIT_EDITMSG',
    ]
    for (const name of written) {
      const path = join(workspace, '.git', name)
      expect(allowed(rules, everyWrite, path), name).toEqual(everyWrite)
    }
  })
})

describe('workspace mode on macOS', () => {
  const options = {
    network: 'none' as const,
    reads: readEverything,
    privateTmp: false,
    changes: small,
  }

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

  describe('with a hard link to a protected file', () => {
    const repository = () => {
      const root = realpathSync(makeDirectory())
      mkdirSync(join(root, '.husky'))
      mkdirSync(join(root, 'hooks'))
      writeFileSync(join(root, '.husky/pre-commit'), '')
      const names = [join(root, '.husky'), join(root, '.envrc')]
      const changes = { roots: [root] as const, protected: names, closed: [] }
      return { root, changes }
    }

    it('runs nothing where the other name is not protected', () => {
      const { root, changes } = repository()
      linkSync(join(root, '.husky/pre-commit'), join(root, 'hooks/pre-commit'))
      const { tool, calls } = doubleOf()
      const confining = () => macosSandbox(tool).confine({ ...options, changes })
      expect(confining).toThrow(unavailable(join(root, '.husky/pre-commit')))
      expect(calls()).toEqual([])
    })

    it('runs where both names are protected', () => {
      const { root, changes } = repository()
      linkSync(join(root, '.husky/pre-commit'), join(root, '.envrc'))
      const { tool, calls } = doubleOf()
      macosSandbox(tool).confine({ ...options, changes })
      expect(calls()).toHaveLength(1)
    })
  })
})
