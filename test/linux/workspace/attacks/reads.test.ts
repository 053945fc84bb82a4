import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../../src/base/types.ts'
import { openShell } from '../../../../src/index.ts'
import { marker } from '../../../attacks/reads/row.ts'
import { type User, users } from '../../../attacks/table.ts'
import { giveTo, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { runTasksAs, type Task } from '../../../helpers/run-as.ts'
import { namedLines } from '../../../helpers/words.ts'
import { py } from '../protected-rows.ts'

/** `kept` and `holder/kept` are unreadable, `open` is a directory that can be read. `show` prints what is in a file. */
const prelude = `
EMPTY_PATH, FOLLOW, EXCHANGE = 0x1000, 0x400, 2
tmp = os.environ["TMPDIR"]
def show(path): print(open(path).read())
`

/** Programs that run one after the other, each as a command of its own. */
type Attempt = readonly [name: string, ...texts: string[]]

const attempts: readonly Attempt[] = [
  ['renaming it where it is', 'os.rename("kept", "it")', 'show("it")'],
  ['a hard link beside it, and removing it', 'os.link("kept", "it"); os.remove("kept")', 'show("it")'],
  ['renaming the directory above it where it is', 'os.rename("holder", "it")', 'show("it/kept")'],
  ['renaming it in a directory below', 'os.rename("holder/kept", "holder/it")', 'show("holder/it")'],
  ['opening it to read and write', 'print(open("kept", "r+").read())'],
  ['opening it to read and append', 'f = open("kept", "a+"); f.seek(0); print(f.read())'],
  ['O_RDWR | O_CREAT', 'print(os.read(os.open("kept", os.O_RDWR | os.O_CREAT), 100))'],
  ['renaming it', 'os.rename("kept", "open/it"); show("open/it")'],
  ['renaming it to the private TMPDIR', 'os.rename("kept", tmp + "/it"); show(tmp + "/it")'],
  [
    'exchanging it',
    'open("open/it", "w"); call(RENAMEAT2, AT, "kept", AT, "open/it", EXCHANGE); show("open/it")',
  ],
  ['renaming the directory above it', 'os.rename("holder", "open/holder"); show("open/holder/kept")'],
  [
    'renaming it to a new directory, and that directory',
    'os.mkdir("new"); os.rename("kept", "new/it"); os.rename("new", "open/new"); show("open/new/it")',
  ],
  ['a hard link', 'os.link("kept", "open/it"); show("open/it")'],
  ['a hard link in the private TMPDIR', 'os.link("kept", tmp + "/it"); show(tmp + "/it")'],
  ...['O_PATH', 'O_WRONLY'].flatMap((flag): Attempt[] => [
    [
      `linkat by a descriptor (${flag})`,
      `call(LINKAT, opened("kept", os.${flag}), "", AT, "open/it", EMPTY_PATH); show("open/it")`,
    ],
    [
      `linkat by a path of /proc (${flag})`,
      `call(LINKAT, AT, f"/proc/self/fd/{opened('kept', os.${flag})}", AT, "open/it", FOLLOW); show("open/it")`,
    ],
  ]),
]

const works = `
new = open("new", "x+"); new.write("new"); new.seek(0); print(new.read())
os.rename("open/file", "moved"); os.rename("holder/beside", "open/beside"); show("open/beside")
fd = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o600); call(LINKAT, AT, f"/proc/self/fd/{fd}", AT, "named", FOLLOW)
print(sorted(os.listdir(".")))
`

function task(user: User, texts: readonly string[], keeps: boolean): Task {
  const parent = makeDirectory()
  const [cwd, config] = [join(parent, 'work'), join(parent, 'config.toml')]
  for (const path of [cwd, ...['holder', 'open'].map((name) => join(cwd, name))]) mkdirSync(path)
  for (const path of ['kept', 'holder/kept']) writeFileSync(join(cwd, path), marker)
  for (const path of ['open/file', 'holder/beside']) writeFileSync(join(cwd, path), 'readable')
  const kept = keeps ? ['kept', 'holder/kept'].map((path) => join(cwd, path)) : []
  writeFileSync(config, `[shell]\nunreadable = ${JSON.stringify(kept)}\n`)
  giveTo(user, parent)
  return {
    options: { mode: 'workspace', cwd, config },
    commands: texts.map((text) => py('', prelude + text).argv),
  }
}

const canRun = process.platform === 'linux' && isInstalled('python3')

describe.for(users.filter((user) => canRun && whyNot(user) === null))(
  'what is unreadable in a workspace, as $name',
  (user) => {
    let results: readonly (Result | undefined)[] = [] // of the last program of each

    beforeAll(async () => {
      const tasks = attempts.flatMap(([, ...texts]) => [task(user, texts, true), task(user, texts, false)])
      results = (await runTasksAs(user, [...tasks, task(user, [works], true)])).map((each) => each.at(-1))
    }, 300_000)

    it.for(attempts.map(([name], at) => [name, at] as const))('stays so against %s', ([, at]) => {
      const [held, open] = results.slice(2 * at)
      expect(held?.output).not.toContain(marker)
      expect(held?.exitCode).toBe(1)
      expect(open?.output).toContain(marker)
    })

    it('leaves what shows nothing of it', () => {
      const { exitCode, stdout, stderr } = results[2 * attempts.length] ?? {}
      const entries = ['holder', 'kept', 'moved', 'named', 'new', 'open']
      const shown = `new\nreadable\n[${entries.map((name) => `'${name}'`).join(', ')}]\n`
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: shown, stderr: '' })
    })
  },
)

interface Row {
  readonly name: string
  /** What keeps the file from being read; the control goes without. */
  readonly setting: string
  /** Runs in `work`, in the home directory. */
  readonly first: string
  /** Workspace mode refuses the first command: programs outside obey what it would replace. */
  readonly isRefused?: true
  readonly file: string
}

const onlyWorkspace = { setting: 'reads = "workspace"', file: 'private/key' }
const secrets = { setting: 'unreadable = ["secrets"]', file: 'work/app/sub/.env' }

const firsts = (text: string, more: Omit<Row, 'name' | 'first'>) =>
  namedLines(text).map(([name, first]): Row => ({ name, first, ...more }))

const many = `
many directories: seq 5000 | sed s/^/made/ | xargs mkdir
many files of such a name: mkdir a; cd a; seq 1500 | sed s/^/.env./ | xargs touch
`

const open = `
a link in place of a cache: rmdir ../.cache/uv; ln -s ../private ../.cache/uv
a link in place of a program that one of PATH leads to: rm program; ln -s ../private/key program
`

const obeyed = `
a link in place of a directory of PATH: rmdir ../tools/bin; ln -s ../private ../tools/bin
a linked program in a directory of PATH: ln -s ../../private/key ../tools/bin/program
a link in place of a file that one of the home directory leads to: rm gitconfig; ln -s ../private/key gitconfig
`

const rows: readonly Row[] = [
  ...firsts(many, secrets),
  ...firsts(open, onlyWorkspace),
  ...firsts(obeyed, { ...onlyWorkspace, isRefused: true }),
]

function makeHome(): string {
  const home = makeDirectory()
  for (const path of ['.cache/uv', 'tools/bin', 'other/bin']) mkdirSync(join(home, path), { recursive: true })
  for (const path of ['private/key', 'work/app/sub/.env', 'work/program', 'work/gitconfig']) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), path.startsWith('work/p') ? '' : marker)
  }
  symlinkSync('../../work/program', join(home, 'other/bin/program'))
  symlinkSync('work/gitconfig', join(home, '.gitconfig'))
  return home
}

/** What the second command shows in the same shell, and in one that is opened afterwards. */
async function showAfter(row: Row, setting: string): Promise<readonly string[]> {
  const home = makeHome()
  const config = join(home, 'private/config.toml')
  const writable = ['.cache', 'tools'].map((path) => join(home, path))
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
