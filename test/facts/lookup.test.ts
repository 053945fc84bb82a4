import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { monotonicMs } from '../../src/base/clock.ts'
import { Lookup, type PathAnswer, type PathLookup, type PathQuestionKind } from '../../src/facts/lookup.ts'
import { poolLookup } from '../../src/facts/pool-lookup.ts'
import { secondLimitMs } from '../../src/facts/silent.ts'
import { pathLookupHere } from '../../src/host/host.ts'
import { makeDirectory } from '../helpers/place.ts'

const root = makeDirectory()
/** A busy machine is no file system that hangs. */
const patientMs = 20_000
const lookups: readonly (readonly [string, () => Promise<PathLookup>])[] = [
  ['the one of this machine', pathLookupHere],
  ['the one of Node', async () => poolLookup()],
]

beforeAll(() => {
  mkdirSync(join(root, 'a/b'), { recursive: true })
  writeFileSync(join(root, 'a/text'), 'é\0ü\n')
  writeFileSync(join(root, 'a/large'), Buffer.alloc(1_048_577))
  writeFileSync(join(root, 'a/-dash'), '')
  symlinkSync('a/b', join(root, 'link'))
  symlinkSync('nowhere/at/all', join(root, 'dangling'))
  symlinkSync('dangling/y', join(root, 'through'))
  symlinkSync('/nowhere', join(root, 'a/out'))
  symlinkSync('../gone/y', join(root, 'a/up'))
  symlinkSync('round/x', join(root, 'round'))
  symlinkSync('gone/../turning', join(root, 'turning'))
  symlinkSync('loop', join(root, 'loop'))
  // A name that is no UTF-8.
  mkdirSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.of(0xff)]))
  symlinkSync(Buffer.of(0xff), join(root, 'odd'))
  execFileSync('mkfifo', [join(root, 'fifo')])
})

/** Keeps this process from doing anything else, as a host does that computes. */
function compute(ms: number): void {
  for (const until = monotonicMs() + ms; monotonicMs() < until; );
}

it('lookups of Node that end late do not keep later ones from being made', async () => {
  const pathLookup = poolLookup()
  const exists = { kind: 'exists', path: root } as const
  const many = Array.from({ length: 20_000 }, () => exists)
  const late = await Promise.all([many, many].map((questions) => pathLookup.ask(questions, 1)))
  for (const answers of late) expect(answers?.length).toBeLessThan(many.length)
  expect(await pathLookup.ask([exists], patientMs)).toEqual([{ found: '' }])
})

describe.each(lookups)('lookup of paths: %s', (_, open) => {
  const ask = async (kind: PathQuestionKind, path: string): Promise<PathAnswer | undefined> =>
    (await new Lookup(await open(), patientMs).ask([{ kind, path: join(root, path) }]))[0]
  const where = async (path: string) => {
    const written = path.startsWith('/') ? path : `${root}/${path}`
    return (await new Lookup(await open(), patientMs).where([written])).get(written)?.replace(root, '.')
  }

  it.each([
    ['a/text', './a/text'],
    ['link', './a/b'],
    ['link/..', './a'],
    ['link/../../link/new', './a/b/new'],
    ['./a//b/.', './a/b'],
    ['a/', './a'],
    ['gone/x/../y', './gone/y'],
    ['gone/../../x', './../x'],
    ['a/text/..', './a'],
    ['dangling', './nowhere/at/all'],
    ['dangling/', './nowhere/at/all'],
    ['dangling/x', './nowhere/at/all/x'],
    ['through', './nowhere/at/all/y'],
    ['a/out/x', '/nowhere/x'],
    ['a/up/../x', './gone/x'],
    ['round', undefined],
    ['turning', undefined],
    ['turning/x', undefined],
    ['gone/../link/x', './a/b/x'],
    ['gone/../loop', undefined],
    ['odd', undefined],
    ['odd/x', undefined],
    ['loop', undefined],
    ['loop/x', undefined],
    ['/', '/'],
    ['/..', '/'],
    ['//nowhere//at', '/nowhere/at'],
  ])('finds where %s leads', async (path, expected) => {
    expect(await where(path)).toBe(expected?.replace('./..', join(realpathSync(root), '..')))
  })

  it('does not take a host that computes past the limit for a file system that hangs', async () => {
    const lookup = new Lookup(await open(), secondLimitMs)
    const text = (name: string) => lookup.ask([{ kind: 'text', path: join(root, name) }])
    const first = text('a/text')
    compute(secondLimitMs + 200)
    expect(await first).toEqual([{ found: 'é\0ü\n' }])
    expect(await text('a/-dash')).toEqual([{ found: '' }])
    expect(lookup.unanswered).toEqual([])
  })

  it.each([
    ['exists', 'a', undefined],
    ['exists', 'dangling', undefined],
    ['exists', 'gone', 'ENOENT'],
    ['exists', 'a/text/x', 'ENOTDIR'],
    ['directory', 'link', undefined],
    ['directory', 'a/text', 'ENOTDIR'],
    ['directory', 'gone', 'ENOENT'],
    ['text', 'a', 'EISDIR'],
    ['text', 'fifo', 'EINVAL'],
    ['text', 'a/large', 'EFBIG'],
    ['text', 'dangling', 'ENOENT'],
    ['names', 'a/text', 'ENOTDIR'],
    ['names', 'gone', 'ENOENT'],
  ] as const)('says of %s %s: %s', async (kind, path, failed) => {
    const answer = await ask(kind, path)
    expect(answer && 'failed' in answer ? answer.failed : undefined).toBe(failed)
  })

  it.each([
    [`${root}/gone:${root}/a/b:${root}/a/text:${root}/a/text`, undefined],
    [`${root}/gone:${root}/a:${root}/link`, 'a/text a/text a'],
    [`${root}/link/..:${root}/a`, 'a/text link/../text a'],
  ])('finds the first program of PATH: %s', async (places, expected) => {
    const [answer] = await new Lookup(await open(), patientMs).ask([
      { kind: 'program', path: `${places}/text` },
    ])
    const found = expected
      ?.split(' ')
      .map((path) => `${root}/${path}`)
      .join('\0')
    expect(answer).toEqual(found === undefined ? { failed: 'ENOENT' } : { found })
  })

  it('reads a text whole, and names what is in a directory, links for themselves', async () => {
    expect(await ask('text', 'a/text')).toEqual({ found: 'é\0ü\n' })
    const [names] = await new Lookup(await open(), patientMs).names([root])
    if (!names || 'failed' in names) throw new Error('not listed')
    expect(names.map(({ name }) => name).sort()).toEqual(readdirSync(root).sort())
    const plain = names.filter((entry) => entry.plain).map(({ name }) => name)
    expect(plain).toContain('a')
    expect(plain.filter((name) => ['link', 'dangling', 'loop'].includes(name))).toEqual([])
  })

  it('answers many requests at once, each with its own question', async () => {
    const pathLookup = await open()
    const paths = Array.from({ length: 200 }, (_, at) => `${root}/new-${at}`)
    const found = await Promise.all(paths.map((path) => new Lookup(pathLookup, patientMs).where([path])))
    expect(found.map((where, at) => where.get(paths[at] ?? ''))).toEqual(paths)
  })
})
