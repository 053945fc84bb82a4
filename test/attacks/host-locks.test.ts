import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPrograms } from './build.ts'

const at = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** A host with a POSIX lock on a file: /proc/locks before, after a command of read mode, and after the host itself closed the file. */
const host = `
import { closeSync, openSync, readFileSync, statSync } from 'node:fs'
import { openShell } from ${JSON.stringify(at('dist/index.js'))}
const [file, ...argv] = process.argv.slice(1)
const isLocked = () => readFileSync('/proc/locks', 'utf8').includes(':' + statSync(file).ino + ' ')
const shell = await openShell({ mode: 'read', privateTmp: true })
const before = isLocked()
const { stdout } = await shell.execute({ argv })
const after = isLocked()
closeSync(openSync(file, 'r'))
console.log(JSON.stringify({ stdout, before, after, control: isLocked() }))
await shell.close()
`

/** A process that closes any descriptor of a file loses all its POSIX locks on it (F_SETLK(2const)): a database of the host's, for one. */
describe.runIf(process.platform === 'linux')("the host's own locks", () => {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-host-locks-'))
  const library = join(directory, 'record_lock.so')
  let program = ''

  beforeAll(() => {
    program = buildPrograms().shared
    const made = spawnSync('cc', ['-shared', '-fPIC', '-o', library, at('test/fixtures/host/record_lock.c')])
    expect(String(made.stderr)).toBe('')
  })
  afterAll(() => rmSync(directory, { recursive: true }))

  it.each(['taken to bind', 'taken to lock'])('stay where the descriptor is %s', (attempt) => {
    const file = join(directory, 'database')
    writeFileSync(file, '')
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--input-type=module', '-e', host, file, program, attempt, file],
      { encoding: 'utf8', env: { ...process.env, LD_PRELOAD: library, LOCKED: file } },
    )
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({
      stdout: expect.stringMatching(/^errno (EACCES|EBADF)\n$/),
      before: true,
      after: true,
      control: false,
    })
  })
})
