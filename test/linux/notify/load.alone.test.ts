import { readFileSync } from 'node:fs'
import { beforeAll, expect, it } from 'vitest'
import { compileAttempts, makeGround, shorts } from './denied.ts'

let attempts: string
beforeAll(() => {
  attempts = compileAttempts()
})

const shellLoop = (count: number, body: string) =>
  `i=0; while [ $i -lt ${count} ]; do ${body}; i=$((i+1)); done`

it('10,000 refused writes of eight threads are 10,000', async () => {
  const { cwd, file, run } = await makeGround()
  const result = await run(`${attempts} flood ${file} 10000`)
  expect(result.stdout).toBe('flood 10000 \n')
  expect(shorts(result)).toEqual([`write ${cwd}/file x10000`])
})

it('past 64 different ones the rest is counted together', async () => {
  const { cwd, run } = await makeGround()
  const result = await run(shellLoop(100, 'echo x 2>/dev/null > new$i'))
  expect(result.denials).toHaveLength(65)
  expect(shorts(result).slice(0, 64)).toEqual(Array.from({ length: 64 }, (_, at) => `create ${cwd}/new${at}`))
  expect(result.denials[64]).toEqual({
    operation: 'other',
    syscall: 'various',
    pid: 0,
    program: 'various',
    count: 36,
  })
})

it('a path that changes between the look and the call never gets at the target', async () => {
  const { file, run } = await makeGround()
  const result = await run(`${attempts} race ${file} 20000`)
  expect(result.stdout).toBe('race 0 \n')
  expect(readFileSync(file, 'utf8')).toBe('kept')
})

it('a command that is killed while it is refused has what was counted', async () => {
  const { cwd, shell } = await makeGround()
  const result = await shell.execute({
    command: 'while :; do echo x 2>/dev/null > file; done',
    timeoutMs: 300,
  })
  expect(result.timedOut).toBe(true)
  // Of one that is killed at the wrong moment the name is not to be had: it stands in a row of its own.
  const targets = new Set(result.denials.map(({ operation, path }) => `${operation} ${path}`))
  expect(targets).toEqual(new Set([`write ${cwd}/file`]))
  expect(result.denials[0]?.count).toBeGreaterThan(10)
})

// All commands wait while a notifier searches.
it('a user lookup is not recognized where more than 5000 mappings stand before libc', async () => {
  const { file, run } = await makeGround()
  const few = await run(`${attempts} crowded ${file} 3000`)
  expect([few.stdout, shorts(few)]).toEqual(['crowded 3000 \n', []])
  const many = await run(`${attempts} crowded ${file} 20000`)
  expect(many.stdout).toBe('crowded 20000 \n')
  expect(many.denials.map(({ operation, address }) => [operation, address])).toEqual([['socket', 'unix']])
})
