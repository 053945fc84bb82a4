import { lchownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Result } from '../../../../src/base/types.ts'
import { marker } from '../../../attacks/reads/row.ts'
import { type User, users } from '../../../attacks/table.ts'
import { whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { isInstalled } from '../../../helpers/programs.ts'
import { runTasksAs, type Task } from '../../../helpers/run-as.ts'
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

function task({ uid, gid }: User, texts: readonly string[], keeps: boolean): Task {
  const parent = makeDirectory()
  const [cwd, config] = [join(parent, 'work'), join(parent, 'config.toml')]
  for (const path of [cwd, ...['holder', 'open'].map((name) => join(cwd, name))]) mkdirSync(path)
  for (const path of ['kept', 'holder/kept']) writeFileSync(join(cwd, path), marker)
  for (const path of ['open/file', 'holder/beside']) writeFileSync(join(cwd, path), 'readable')
  const kept = keeps ? ['kept', 'holder/kept'].map((path) => join(cwd, path)) : []
  writeFileSync(config, `[shell]\nunreadable = ${JSON.stringify(kept)}\n`)
  for (const path of ['', ...readdirSync(parent, { recursive: true, encoding: 'utf8' })])
    lchownSync(join(parent, path), uid, gid)
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
