import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { becomes, isAlive } from '../../src/doctor/attempt.ts'
import { makeDirectory } from '../helpers/place.ts'

it('a process is alive while it runs, a zombie is not, nor is what is gone', async () => {
  expect(isAlive(process.pid)).toBe(true)
  // It leaves its child unreaped.
  const file = `${makeDirectory()}/pid`
  const script = `sleep 60 & echo $! > ${file}; kill -9 $!; exec sleep 60`
  const parent = spawn('sh', ['-c', script], { stdio: 'ignore' })
  const child = () => Number(tryRead(file))
  expect(await becomes(() => child() > 1 && !isAlive(child()), 5000)).toBe(true)
  const reaped = once(parent, 'exit')
  expect(isAlive(parent.pid ?? 0)).toBe(true)
  parent.kill('SIGKILL')
  await reaped
  expect(isAlive(parent.pid ?? 0)).toBe(false)
})

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
