import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShell } from '../../../../src/index.ts'
import { marker } from '../../../attacks/reads/row.ts'
import { makeDirectory } from '../../../helpers/place.ts'

interface Row {
  readonly name: string
  /** What keeps the file from being read; the control goes without. */
  readonly setting: string
  readonly writable?: string
  /** Symbolic links in the home directory. */
  readonly links?: Readonly<Record<string, string>>
  /** Runs in `work`, in the home directory. */
  readonly first: string
  /** Workspace mode refuses the first command: programs outside obey what it would replace. */
  readonly isRefused?: true
  readonly file: string
}

const onlyWorkspace = { setting: 'reads = "workspace"', file: 'private/key' }
const secrets = { setting: 'unreadable = ["secrets"]', file: 'work/app/sub/.env' }

const rows: readonly Row[] = [
  { name: 'many directories', ...secrets, first: 'seq 5000 | sed s/^/made/ | xargs mkdir' },
  {
    name: 'many files of such a name',
    ...secrets,
    first: 'mkdir a; cd a; seq 1500 | sed s/^/.env./ | xargs touch',
  },
  {
    name: 'a link in place of a cache',
    ...onlyWorkspace,
    writable: '.cache',
    first: 'rmdir ../.cache/uv; ln -s ../private ../.cache/uv',
  },
  {
    name: 'a link in place of a directory of PATH',
    ...onlyWorkspace,
    writable: 'tools',
    first: 'rmdir ../tools/bin; ln -s ../private ../tools/bin',
    isRefused: true,
  },
  {
    name: 'a linked program in a directory of PATH',
    ...onlyWorkspace,
    writable: 'tools',
    first: 'ln -s ../../private/key ../tools/bin/program',
    isRefused: true,
  },
  {
    name: 'a link in place of a program that one of PATH leads to',
    ...onlyWorkspace,
    links: { 'other/bin/program': '../../work/program' },
    first: 'rm program; ln -s ../private/key program',
  },
  {
    name: 'a link in place of a file that one of the home directory leads to',
    ...onlyWorkspace,
    links: { '.gitconfig': 'work/gitconfig' },
    first: 'rm gitconfig; ln -s ../private/key gitconfig',
    isRefused: true,
  },
]

function makeHome({ links = {} }: Row): string {
  const home = makeDirectory()
  for (const path of ['.cache/uv', 'tools/bin', 'other/bin']) mkdirSync(join(home, path), { recursive: true })
  for (const path of ['private/key', 'work/app/sub/.env', 'work/program', 'work/gitconfig']) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), path.startsWith('work/p') ? '' : marker)
  }
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(home, path))
  return home
}

/** What the second command shows in the same shell, and in one that is opened afterwards. */
async function showAfter(row: Row, setting: string): Promise<readonly string[]> {
  const home = makeHome(row)
  const config = join(home, 'private/config.toml')
  const writable = row.writable ? [join(home, row.writable)] : []
  writeFileSync(config, `[shell]\n${setting}\n[workspace]\nwritable = ${JSON.stringify(writable)}\n`)
  const path = ['tools/bin', 'other/bin'].map((bin) => join(home, bin))
  const env = { HOME: home, PATH: [...path, process.env['PATH']].join(':') }
  const options = { mode: 'workspace', cwd: join(home, 'work'), config, env } as const
  const shell = await openShell(options)
  const show = { argv: ['cat', join(home, row.file)] }
  const before = await shell.execute(show)
  const first = await shell.execute({ command: row.first })
  if (row.isRefused) expect(first.denials).toContainEqual(expect.objectContaining({ protected: true }))
  else expect(first).toMatchObject({ exitCode: 0, output: '' })
  const same = await shell.execute(show)
  await shell.close()
  const next = await openShell(options)
  const later = await next.execute(show)
  await next.close()
  return [before, same, later].map(({ stdout }) => stdout)
}

describe.runIf(process.platform === 'linux')('what a command cannot read, the next one cannot after', () => {
  it.for(rows.map((row) => [row.name, row] as const))('%s', async ([, row]) => {
    const [before, same, later] = await showAfter(row, row.setting)
    expect([before, same]).toEqual(['', ''])
    if (row.setting === onlyWorkspace.setting) expect(later).toBe('')
    expect(await showAfter(row, '')).toEqual([marker, marker, marker])
  })
})
