import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'

// The notifier keeps directories open that it has proven shortly before.

type Mode = 'workspace' | 'write'

function makePlace() {
  const parent = makeDirectory()
  const [work, outside] = [join(parent, 'work'), join(parent, 'outside')]
  for (const path of ['.git', '.vscode', 'src']) mkdirSync(join(work, path), { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(work, '.git/config'), 'before')
  chmodSync(join(work, '.git/config'), 0o644)
  return { work, outside }
}

/** A directory made in the clock's tick in which the command starts may not be granted by Landlock. */
async function makeOlderPlace() {
  const place = makePlace()
  const { birthtimeMs } = statSync(join(place.work, 'src'))
  await waitFor(() => Date.now() > birthtimeMs + 20)
  return place
}

async function start(place: ReturnType<typeof makePlace>, mode: Mode, program: string, timeoutMs = 20_000) {
  const shell = await openTestShell({ cwd: place.work, mode })
  return shell.execute({ argv: ['python3', '-c', program], timeoutMs })
}

/** Attempts that go on after a refusal. */
const attempts = `import os, time
def attempt(act, *arguments):
    try: return act(*arguments)
    except OSError as error: print(error)
def create(path): os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
`

const linux = describe.runIf(process.platform === 'linux')

linux('a directory that the command has just used', () => {
  const swaps = {
    'a link to a directory outside': 'os.symlink("../outside", "made")',
    'a link to a protected directory': 'os.symlink(".vscode", "made")',
  }
  const acts = [
    'create("made/new")',
    'os.mkdir("made/new")',
    'os.symlink("x", "made/new")',
    'os.rename("away/a", "made/new")',
    'os.link("away/a", "made/new")',
  ]
  const rows = Object.entries(swaps).flatMap((swap) => acts.map((act) => [...swap, act] as const))

  it.for(rows)('is replaced by %s: nothing changes there (%s, %s)', async ([, swap, act]) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace()
      const setup = 'os.mkdir("made"); create("made/a"); os.rename("made", "away")'
      await start(place, mode, `${attempts}${setup}; ${swap}\nattempt(lambda: ${act})`)
      const changed = [place.outside, join(place.work, '.vscode')].flatMap((path) => readdirSync(path))
      expect(changed.includes('new')).toBe(mode === 'write')
    }
  })

  it('is moved out of the workspace by another program: soon nothing changes there', async () => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace()
      const until = `
os.mkdir("made"); os.chdir("made"); create("begun")
for at in range(10**9):
    try: create("f"); os.unlink("f")
    except OSError: break
`
      const running = start(place, mode, attempts + until, mode === 'write' ? 2000 : 20_000)
      expect(await waitFor(() => existsSync(join(place.work, 'made/begun')))).toBe(true)
      renameSync(join(place.work, 'made'), join(place.outside, 'made'))
      expect((await running).timedOut).toBe(mode === 'write')
    }
  })

  it.for([
    'os.close(os.open("made/link", os.O_WRONLY | os.O_TRUNC))',
    'os.truncate("made/link", 0)',
    'os.chmod("made/link", 0o600)',
    'os.unlink("made/link")',
    'os.rename("made/link", "made/other")',
    'os.rename("made/a", "made/link")',
    'os.link("made/link", "made/other")',
  ])('gets another name of a protected file: it stays as it is (%s)', async (act) => {
    for (const mode of ['workspace', 'write'] as const) {
      const place = makePlace()
      const [file, link] = [join(place.work, '.git/config'), join(place.work, 'made/link')]
      const wait =
        'os.mkdir("made")\ncreate("made/a")\nwhile not os.path.lexists("made/link"): create("made/a")\n'
      const running = start(place, mode, `${attempts}${wait}attempt(lambda: ${act})`)
      expect(await waitFor(() => existsSync(join(place.work, 'made/a')))).toBe(true)
      linkSync(file, link)
      await running
      const names = readdirSync(join(place.work, 'made')).sort()
      const after = { text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777, names }
      const before = { text: 'before', mode: 0o644, names: ['a', 'link'] }
      if (mode === 'workspace') expect(after).toEqual(before)
      else expect(after).not.toEqual(before)
    }
  })
})

linux('directories that are moved and made anew between granted and new places', () => {
  const ways = {
    'a change of the working directory': 'os.chdir("src"); put("f"); os.chdir(".."); put("f")',
    'a change of the working directory by a descriptor':
      'root = os.open(".", os.O_RDONLY); os.chdir("src"); put("f"); os.fchdir(root); put("f")',
    'a change of the working directory by another thread':
      'os.chdir("src"); put("f"); thread = threading.Thread(target=os.chdir, args=[".."]); thread.start(); thread.join(); put("f")',
    'a new link on the way':
      'link("src", "way"); put("way/f"); link(".", "src/new"); os.rename("src/new", "way"); put("way/f")',
    'a reuse of the number of a descriptor':
      'root = os.open(".", os.O_RDONLY); at = os.open("src", os.O_RDONLY); put("f", at); os.dup2(root, at); put("f", at)',
    'a rename of a link on the way, by that way': `
    os.makedirs("src/t", exist_ok=True); os.makedirs("made/t"); link("t", "src/way"); link("../made/t", "src/new")
    way = f"{work}/src/way/../"; put(way + "f"); os.rename(way + "new", way + "way"); put(way + "f")
    os.unlink("src/way"); shutil.rmtree("made")`,
    'a file without a name in the directory above': `
    nameless("."); put(f"{work}/src/f"); nameless(f"{work}/src/..")`,
  }

  it.for(Object.entries(ways))('can be changed by the same path after %s', async ([, way]) => {
    const program = `import os, shutil, threading
work = os.getcwd()
def link(to, path): os.symlink(to, path)
def nameless(path): os.close(os.open(path, os.O_TMPFILE | os.O_WRONLY | os.O_NOFOLLOW))
def put(name, at=None):
    for number in range(20):
        os.close(os.open(f"{name}{number}", os.O_CREAT | os.O_EXCL | os.O_WRONLY, dir_fd=at))
for round in range(3):
    ${way}
    for name in os.listdir(".") + ["src/" + name for name in os.listdir("src")]:
        if name[-1].isdigit() or name == "way": os.unlink(name)`
    const place = await makeOlderPlace()
    const result = await start(place, 'workspace', program)
    expect(result).toMatchObject({ exitCode: 0, output: '', denials: [] })
  })
})

linux("a path through /proc/self is the command's own, not that of vitrine", () => {
  const program = (given: string) => `import os
work = os.path.dirname(os.getcwd())
os.mkdir(f"{work}/made"); os.chdir(f"{work}/made"); os.symlink("/proc/self/cwd", "link")
with open("f", "w") as file: file.write("of the command")
open(f"{work}/src/known", "w").close()
os.chmod("${given}", 0o600)
os.rename("${given}", f"{work}/moved")`

  it.each([
    '/proc/self/cwd/f',
    '//proc/self/cwd/f',
    '/./proc/self/cwd/f',
    '/dev/../proc/self/cwd/f',
    '/proc/thread-self/cwd/f',
    `${'../'.repeat(20)}proc/self/cwd/f`,
    'link/f',
    './link/link/f',
  ])('%s', async (given) => {
    const { work } = makePlace()
    const file = join(work, 'src/f')
    writeFileSync(file, 'of vitrine', { mode: 0o644 })
    const run = ['run', '--mode', 'workspace', '--workspace', work, '--', 'python3', '-c', program(given)]
    const { code, stderr } = await new Home().run(run, { cwd: join(work, 'src') })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(join(work, 'moved'), 'utf8')).toBe('of the command')
    expect(statSync(join(work, 'moved')).mode & 0o777).toBe(0o600)
    expect({ text: readFileSync(file, 'utf8'), mode: statSync(file).mode & 0o777 }).toEqual({
      text: 'of vitrine',
      mode: 0o644,
    })
  })
})
