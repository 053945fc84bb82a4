import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import {
  aliveWith,
  allProcesses,
  endAll,
  makeMarker,
  processEntry,
  survivors,
  waitFor,
} from '../../helpers/processes.ts'
import { compileFixture } from '../../helpers/programs.ts'
import { compileAttempts, shorts } from './denied.ts'
import { toldBy, writeTeller } from './tellers.ts'

interface Teller {
  readonly child: ChildProcess
  /** What it has printed so far. */
  readonly text: () => string
  readonly ended: Promise<unknown>
}

function startTeller(directory: string, command: string): Teller {
  const child = spawn(process.execPath, [writeTeller(directory, command)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  return { child, text: () => text, ended: once(child, 'exit') }
}

describe('a host that is stopped', () => {
  it('stops its command at the next notified call, and counts all calls when it continues', async () => {
    const directory = makeDirectory()
    const marker = makeMarker()
    writeFileSync(join(directory, 'file'), 'kept')
    const line = `echo started; sleep 0.5; echo ${marker} >/dev/null; cat file; echo x > file; echo after; exec true ${marker}`
    const teller = startTeller(directory, line)
    await waitFor(() => teller.text().includes('started'))
    teller.child.kill('SIGSTOP')
    // Its sleep has ended, and it does not go on to the next program: it waits in open(2).
    const commands = () => aliveWith(marker).filter((pid) => pid !== teller.child.pid)
    const waits = (pid: number) =>
      processEntry(pid)?.state === 'S' && !allProcesses().some(({ parent }) => parent === pid)
    expect(await waitFor(() => commands().length === 1 && commands().every(waits))).toBe(true)
    const text = readFileSync(join(directory, 'file'), 'utf8')
    teller.child.kill('SIGCONT')
    await teller.ended
    expect(text).toBe('kept')
    const { result } = toldBy(teller.text())
    expect(result).toMatchObject({ exitCode: 0, stdout: 'started\nkeptafter\n' })
    expect(shorts(result)).toEqual([`write ${directory}/file`])
  })
})

describe('a host that dies', () => {
  it('in the middle of a storm of refused calls leaves them refused, and no process', async () => {
    const directory = makeDirectory()
    const marker = makeMarker()
    const file = join(directory, 'file')
    writeFileSync(file, 'kept')
    const storm = `${compileAttempts()} flood ${file} 8000 ${marker}`
    const line = `echo started; while :; do ${storm}; mkdir new; chmod 600 file; done`
    const teller = startTeller(directory, line)
    await waitFor(() => teller.text().includes('started'))
    await waitFor(() => aliveWith(marker).some((pid) => pid !== teller.child.pid))
    teller.child.kill('SIGKILL')
    await teller.ended
    const left = await survivors(marker)
    await endAll(marker)
    expect(left).toEqual([])
    expect(readFileSync(file, 'utf8')).toBe('kept')
    expect(readdirSync(directory).sort()).toEqual(['file', 'teller.mjs'])
  })
})

describe('where no process may read the memory of a command (Yama, ptrace_scope 2)', () => {
  const lines = [
    'echo x > file',
    'echo fine > /dev/null && echo fine',
    'rm -f file',
    'touch -c file',
    'touch new',
    'mkdir -p sub && echo there',
    'mkdir new',
    'mv file other',
    '(set -C; echo x > new)',
    'true | tee /dev/null file',
    'id nobody > /dev/null; ls -l file > /dev/null',
  ]

  it('everything is refused; what is certain is counted, by its path where it is an argument', () => {
    const cwd = makeDirectory()
    writeFileSync(join(cwd, 'file'), 'kept')
    mkdirSync(join(cwd, 'sub'))
    const script = writeTeller(cwd, lines.join('; '))
    const stdout = execFileSync(compileFixture('unreadable'), [process.execPath, script], {
      encoding: 'utf8',
    })
    const { result } = toldBy(stdout)
    expect(readFileSync(join(cwd, 'file'), 'utf8')).toBe('kept')
    expect(readdirSync(cwd).sort()).toEqual(['file', 'sub', 'teller.mjs'])
    expect(result.stdout).toBe('fine\nthere\n')
    const names = shorts(result).map((text) => text.replace(`${cwd}/`, ''))
    // rm copies its arguments; the path of a redirection stands in the shell's own memory.
    expect(names).toEqual(
      expect.arrayContaining([
        'metadata file',
        'create new',
        'create',
        'write file',
        expect.stringMatching(/^rename/),
      ]),
    )
    expect(names).toContainEqual(expect.stringMatching(/^delete/))
    const noise = ['/dev/null', 'sub', 'socket']
    expect(names.filter((name) => noise.some((word) => name.includes(word)))).toEqual([])
  })
})
