import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { isExecutable } from '../../helpers/programs.ts'
import { decideLine, presetRules } from '../helper.ts'
import { readTable } from '../rows.ts'
import { Random } from './random.ts'

const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
const random = new Random(Number(process.env['VITRINE_FUZZ_SEED'] ?? 20_260_611))
const COUNT = Number(process.env['VITRINE_FUZZ_COUNT'] ?? 20_000)

/** Lines that are allowed. What is made of them by moving a few words often is not. */
const templates = `
find . -name x -exec grep foo {} +
find . -type f -exec wc -l {} + -exec cat {} ;
find . -name x -exec sort {} ;
find . -exec sh -c ls ;
xargs -n 1 cat
xargs -I {} cat {}
xargs -P 2 -n 1 sh -c ls _
xargs -a names wc -l
timeout -s KILL 10 ls
timeout --preserve-status -k 5 10 cat a
time -p ls
env A=1 ls
sh -c ls
sh -lc ls x
bash -e -c ls
timeout 10 xargs -n 1 env A=1 sh -c ls
`
  .trim()
  .split('\n')
  .map((line) => line.split(' '))

const spare =
  `zap zap rm ls cat grep sort ; + {} -delete -exec -execdir -ok -o EVIL -I -i -n 1 -L --replace --max-lines --max-lines=1 --arg-file
   -a names -P -0 -d x -E -s KILL -k 10 --signal --foreground -v -- - -c -lc -x 'zap' 'ls;zap' -S A=1 -u --fprint EVIL -p`.split(
    /\s+/,
  )

function mutated(line: readonly string[]): readonly string[] {
  const words = [...line]
  for (let edit = 1 + random.below(3); edit > 0; edit--) {
    const at = 1 + random.below(words.length)
    const cut = random.chance(0.4) ? 1 : 0
    const word = random.chance(0.6) ? random.pick(spare) : (words[random.below(words.length)] ?? 'ls')
    words.splice(at, cut, ...(random.chance(0.8) ? [word] : []))
  }
  return words
}

/** As a line: `;` is an argument. */
function lineOf(words: readonly string[]): string {
  return words.map((word) => (word === ';' ? '\\;' : word)).join(' ')
}

const candidates = new Set(
  Array.from({ length: COUNT * 0.3 }, () => lineOf(mutated(random.pick(templates)))).concat(
    templates.map(lineOf),
  ),
)
for (const { place, preset, mode, command } of readTable())
  if (place.startsWith('wrappers.txt') && preset === 'default' && mode === 'write') candidates.add(command)
const allowed = [...candidates].filter(
  (line) => decideLine(line, presetRules('default'), 'write').verdict === 'allow',
)
const controls = [
  'timeout 1 zap',
  'xargs rm',
  'find . -exec zap \\;',

  'sh -c zap',
]

function find(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((place) => join(place, program))
    .find(isExecutable)
}

const wrappers = ['find', 'xargs', 'timeout', 'env', 'time', 'sh']
const readers = ['ls', 'cat', 'grep', 'wc', 'sort']

/** A directory with nothing but these programs, and `zap`, which leaves a file. */
function programs(root: string, wrapper: (name: string) => string | undefined): string {
  const place = join(root, 'programs')
  mkdirSync(place)
  for (const name of [...wrappers, ...readers, 'bash']) {
    const target = (wrappers.includes(name) ? wrapper(name) : undefined) ?? find(name)
    if (target !== undefined) symlinkSync(target, join(place, name))
  }
  for (const name of ['zap', 'rm'])
    writeFileSync(join(place, name), '#!/bin/sh\n: > ZAPPED\n', { mode: 0o755 })
  return place
}

describe('what wrappers start, against the verdict', () => {
  const roots: string[] = []
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true, force: true })
  })

  it('allows enough of the lines for their run to prove something, and refuses most', () => {
    expect(allowed.length).toBeGreaterThan(COUNT / 100)
    expect(allowed.length).toBeLessThan(candidates.size / 2)
  })

  const kinds = [
    ['of this machine', () => undefined, true],
    ['of busybox', () => find('busybox'), find('busybox') !== undefined],
  ] as const
  for (const [name, wrapper, isHere] of kinds)
    it.skipIf(!isHere)(
      `${name}: no allowed line runs another program, or changes a file`,
      { timeout: 300_000 },
      () => {
        const root = mkdtempSync(join(tmpdir(), 'vitrine-wrappers-'))
        roots.push(root)
        chmodSync(root, 0o755)
        const work = join(root, 'work')
        mkdirSync(work)
        for (const file of ['a', 'x', 'names', '+']) writeFileSync(join(work, file), 'a\nx\n')
        if (isRoot)
          for (const path of ['', 'a', 'x', 'names', '+']) chownSync(join(work, path), NOBODY, NOBODY)
        const before = readdirSync(work)
        const path = programs(root, wrapper)
        const run = (line: string) =>
          spawnSync('sh', ['-c', line], {
            cwd: work,
            env: { PATH: path, HOME: work },
            input: 'a\nx\n',
            timeout: 3000,
            ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
          })
        const harmful = (lines: readonly string[]) =>
          lines.filter((line) => {
            run(line)
            const isChanged = readdirSync(work).join() !== before.join()
            for (const file of readdirSync(work)) if (!before.includes(file)) rmSync(join(work, file))
            for (const file of before)
              if (!readdirSync(work).includes(file)) writeFileSync(join(work, file), 'a\nx\n')
            return isChanged
          })
        expect(harmful(allowed)).toEqual([])
        // These show that it can tell.
        expect(harmful(controls)).toEqual(controls)
      },
    )
})
