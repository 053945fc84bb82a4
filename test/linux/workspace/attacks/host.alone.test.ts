import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type User, users } from '../../../attacks/table.ts'
import { credentials, giveTo, whyNot } from '../../../helpers/other-users.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { processEntry, waitFor } from '../../../helpers/processes.ts'
import { builtLibrary, isInstalled } from '../../../helpers/programs.ts'

const host = `
const { openShell } = await import(process.argv[1])
const shell = await openShell({ mode: process.argv[2], cwd: process.argv[3] })
const { exitCode, stdout } = await shell.execute({ argv: ['python3', '-c', process.argv[4]], timeoutMs: 100_000 })
console.log(JSON.stringify({ exitCode, stdout }))
await shell.close()`

/** Makes directories in the root, where the notifier acts, and says after each whether it was made. */
const maker = (rounds: number) => `
import os
log = open("src/log", "w", buffering=1)
log.write(f"{os.getpid()}\\n")
for at in range(${rounds}):
    try:
        os.mkdir(f"made-{at}")
        log.write(f"made {at}\\n")
    except OSError as error: log.write(f"failed {at} {error.errno}\\n")
    if os.path.exists("src/stop"): break
print("over")`

function start(user: User, rounds: number): { cwd: string; process: ChildProcess; output: Promise<string> } {
  const cwd = makeDirectory()
  mkdirSync(join(cwd, '.git'))
  mkdirSync(join(cwd, 'src'))
  giveTo(user, cwd)
  const words = ['--input-type=module', '-e', host, builtLibrary, 'workspace', cwd, maker(rounds)]
  const env = { PATH: process.env['PATH'], HOME: '/dev/null/home' }
  const child = spawn(process.execPath, words, {
    env,
    cwd: '/',
    stdio: ['ignore', 'pipe', 'inherit'],
    ...credentials(user),
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const output = (async () => {
    let text = ''
    for await (const chunk of child.stdout) text += String(chunk)
    return text
  })()
  return { cwd, process: child, output }
}

const logOf = (cwd: string): string[] =>
  existsSync(join(cwd, 'src/log')) ? readFileSync(join(cwd, 'src/log'), 'utf8').trim().split('\n') : []
const madeIn = (cwd: string) => readdirSync(cwd).filter((name) => name.startsWith('made-'))
const began = (cwd: string) => waitFor(() => logOf(cwd).length > 20)
const saidMade = (cwd: string) =>
  logOf(cwd)
    .filter((line) => line.startsWith('made '))
    .map((line) => line.replace(' ', '-'))

/** Every thread of it, so that none of them can answer a call. */
function isStopped(pid = 0): boolean {
  return readdirSync(`/proc/${pid}/task`).every((thread) => processEntry(Number(thread))?.state === 'T')
}

const linux = process.platform === 'linux' && isInstalled('python3')

describe.for(users.filter((user) => linux && whyNot(user) === null))(
  'the host of a command, as $name',
  (user) => {
    it('is stopped and continued: calls wait, and then all of them are carried out', async () => {
      const { cwd, process: child, output } = start(user, 5_000)
      expect(await began(cwd)).toBe(true)
      child.kill('SIGSTOP')
      expect(await waitFor(() => isStopped(child.pid))).toBe(true)
      const [pid] = logOf(cwd)
      expect(await waitFor(() => processEntry(Number(pid))?.state === 'S')).toBe(true)
      const stopped = madeIn(cwd).length
      // The call waits already: load cannot fail this look, which would see a call that another process answers.
      expect(await waitFor(() => madeIn(cwd).length > stopped, 300)).toBe(false)
      // The last one may be made and not yet answered.
      expect(stopped - saidMade(cwd).length).toBeOneOf([0, 1])
      expect(stopped).toBeLessThan(5_000)
      child.kill('SIGCONT')
      expect(JSON.parse(await output)).toEqual({ exitCode: 0, stdout: 'over\n' })
      expect(madeIn(cwd)).toHaveLength(5_000)
    })

    it('is killed: the command ends, and what it was told was made is there', async () => {
      const { cwd, process: child, output } = start(user, 1_000_000)
      expect(await began(cwd)).toBe(true)
      const pid = Number(logOf(cwd)[0])
      child.kill('SIGKILL')
      await output
      expect(await waitFor(() => processEntry(pid)?.running !== true)).toBe(true)
      expect(madeIn(cwd)).toEqual(expect.arrayContaining(saidMade(cwd)))
      expect(madeIn(cwd).length - saidMade(cwd).length).toBeLessThanOrEqual(1)
    })

    it.skipIf(!isInstalled('prlimit'))(
      'has no descriptors left: each call says truly whether it was carried out',
      async () => {
        const { cwd, process: child, output } = start(user, 1_000_000)
        expect(await began(cwd)).toBe(true)
        const limit = (files: string) => {
          const words = ['--pid', String(child.pid), `--nofile=${files}`]
          expect(spawnSync('prlimit', words, { cwd: '/', ...credentials(user) }).status).toBe(0)
        }
        limit('1:')
        expect(await waitFor(() => logOf(cwd).some((line) => line.startsWith('failed')))).toBe(true)
        limit('1024:')
        const before = saidMade(cwd).length
        expect(await waitFor(() => saidMade(cwd).length > before + 10)).toBe(true)
        mkdirSync(join(cwd, 'src/stop'))
        expect(JSON.parse(await output)).toEqual({ exitCode: 0, stdout: 'over\n' })
        expect(madeIn(cwd).sort()).toEqual(saidMade(cwd).sort())
      },
    )
  },
)
