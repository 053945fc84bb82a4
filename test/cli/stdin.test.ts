import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isInstalled } from '../helpers/programs.ts'
import { terminalProgram } from '../helpers/terminal.ts'
import { ended, Home } from './vitrine.ts'

const home = new Home()
const file = join(home.directory, 'input')

/** Runs with the file as standard input, opened with the given flags. */
async function withFile(flags: string, ...args: string[]) {
  const fd = openSync(file, flags)
  try {
    return await home.run(['run', ...args], { stdio: [fd, 'pipe', 'pipe'] })
  } finally {
    closeSync(fd)
  }
}

it('a pipe is passed on', async () => {
  expect((await home.shell(`printf 'a\\377\\000b' | vitrine run -- cat`)).bytes).toEqual(
    Buffer.from([0x61, 0xff, 0, 0x62]),
  )
})

it('in read mode a file opened for writing is read, and never handed over', async () => {
  writeFileSync(file, 'content\n')
  const ran = await withFile('r+', '--', 'cat; readlink /proc/self/fd/0; echo written >&0')
  expect(ran.stdout).toMatch(/^content\npipe:/)
  expect(readFileSync(file, 'utf8')).toBe('content\n')
})

it('a directory is refused, because the command would find it empty', async () => {
  const ran = await home.shell('vitrine run -- cat < .')
  expect(ran).toMatchObject({ code: 125, stdout: '' })
  expect((await home.shell('vitrine run --write -- cat < .')).code).toBe(1)
  expect((await home.shell('vitrine run --json -- cat < .')).stdout).toMatch(/^{"version":1,"error":/)
})

it('in write mode it is handed over', async () => {
  writeFileSync(file, 'content\n')
  await withFile('r+', '--write', '--', 'cat > /dev/null; echo written >&0')
  expect(readFileSync(file, 'utf8')).toBe('content\nwritten\n')
})

it('in read mode a socket is read, and nothing can be sent back through it', async () => {
  // Node gives a child a socket where stdio says pipe: its holder can write to us.
  const child = home.start(['run', '--', 'cat; readlink /proc/self/fd/0; echo sent >&0'], { stdio: 'pipe' })
  let received = ''
  ;(child.stdin as unknown as NodeJS.ReadableStream | null)?.on('data', (chunk) => {
    received += String(chunk)
  })
  child.stdin?.end('through a socket\n')
  expect((await ended(child)).stdout).toMatch(/^through a socket\npipe:/)
  expect(received).toBe('')
})

it.each(['read', 'write'])('in %s mode input that is never closed does not block', async (mode) => {
  const child = home.start(['run', ...(mode === 'write' ? ['--write'] : []), '--', 'echo done'], {
    stdio: 'pipe',
  })
  expect(await ended(child)).toMatchObject({ code: 0, stdout: 'done\n' })
})

it.skipIf(!isInstalled('python3'))('a terminal is not passed on (needs python3)', async () => {
  const script = terminalProgram()
  for (const mode of ['', '--write']) {
    const ran = await home.shell(
      `python3 ${script} "$NODE_PROGRAM" "$CLI_PROGRAM" run ${mode} -- 'readlink /proc/self/fd/0; cat'`,
    )
    expect(ran.stdout).toBe('/dev/null\r\n')
  }
})
