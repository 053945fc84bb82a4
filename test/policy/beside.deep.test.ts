import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { systemTool } from '../../src/base/paths.ts'
import type { Approver } from '../../src/index.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** Each would make F beside the program that a rule allows to run unsandboxed. `↵` stands for a newline. */
const lines = readFileSync(join(import.meta.dirname, 'beside.txt'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => line.replaceAll('↵', '\n'))

function makePlace(): string {
  const cwd = makeDirectory()
  for (const name of ['evil', 'home', 'node_modules/.bin']) mkdirSync(join(cwd, name), { recursive: true })
  const program = (name: string, text: string) => {
    writeFileSync(join(cwd, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(cwd, name), 0o755)
  }
  program('ok', 'echo fine')
  const mark = `touch ${cwd}/F`
  for (const name of ['evil.sh', 'evil/cat']) program(name, mark)
  for (const name of ['nl', 'strings', 'less']) program(`node_modules/.bin/${name}`, mark)
  for (const name of ['home/.profile', 'home/.bash_profile', 'home/.bashrc'])
    writeFileSync(join(cwd, name), `${mark}\n`)
  writeFileSync(join(cwd, 'x'), 'a\nb\n')
  writeFileSync(join(cwd, 'names.txt'), 'F\n')
  writeFileSync(join(cwd, 'path.txt'), './evil\n')
  return cwd
}

/** PATH leads to no project: what may pass beside a rule passes. */
async function openPlace(program: string, approver?: Approver) {
  const cwd = makePlace()
  const toml = '[policy]\nallow = ["./ok"]\n'
  const env = { PATH: '/usr/bin:/bin' }
  return { cwd, shell: await openTestShell({ cwd, mode: 'write', toml, program, env, approver }) }
}

const saysNo: Approver = async () => 'no'

/** Whether the line makes F. */
async function marks(line: string, program: string, approver?: Approver): Promise<boolean> {
  const { cwd, shell } = await openPlace(program, approver)
  const done = shell.execute({ command: line, timeoutMs: 10_000 })
  await done.catch((error) => expect(['DENIED', 'NOT_APPROVED']).toContain(error.code))
  await shell.close()
  return existsSync(join(cwd, 'F'))
}

describe.runIf(process.platform === 'linux').each(['sh', 'bash'].filter((name) => systemTool(name)))(
  'beside a program that a rule of the user allows, in a line of %s',
  (program) => {
    it.each(lines)('nothing changes that was not asked about: %s', async (line) => {
      expect(await marks(line, program, saysNo)).toBe(false)
    })

    it('most of these lines change something without an approver', async () => {
      let marked = 0
      for (const line of lines) marked += Number(await marks(line, program))
      expect(marked).toBeGreaterThan(lines.length / 2)
    })

    it('the line runs unasked where the rest is only echo and the like', async () => {
      const { shell } = await openPlace(program, saysNo)
      const free = ['./ok | cat', 'cd . && ./ok', './ok | tail -n 1 | tr f F', 'echo a; ./ok', 'env A=1 ./ok']
      for (const line of free)
        expect(await shell.execute({ command: line }), line).toMatchObject({ mode: 'write', exitCode: 0 })
    })
  },
)
