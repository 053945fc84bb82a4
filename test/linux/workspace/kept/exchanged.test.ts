import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { users } from '../../../attacks/table.ts'
import { makeDirectory } from '../../../helpers/place.ts'
import { repository } from '../../../helpers/programs.ts'
import { runAs } from '../../../helpers/run-as.ts'

let library: string

beforeAll(() => {
  library = join(makeDirectory(), 'exchange.so')
  const source = join(repository, 'test/fixtures/workspace/exchange.c')
  execFileSync('cc', [
    '-std=gnu11',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-shared',
    '-fPIC',
    source,
    '-o',
    library,
    '-ldl',
  ])
})

type Comer = 'another name of a protected file' | 'a link to a protected file' | 'another file'

/** What a command does to a file, for which something else comes just before vitrine opens it. */
async function opened(line: string, comer: Comer) {
  const [user] = users
  if (!user) throw new Error('there is no user')
  const parent = makeDirectory()
  const [cwd, from] = [join(parent, 'project'), join(parent, 'comer')]
  mkdirSync(cwd)
  writeFileSync(join(cwd, '.envrc'), 'protected')
  writeFileSync(join(cwd, 'name'), 'own')
  if (comer === 'another file') writeFileSync(from, 'another')
  else if (comer === 'a link to a protected file') symlinkSync('.envrc', from)
  else linkSync(join(cwd, '.envrc'), from)
  const [result] = await runAs(user, {
    options: { mode: 'workspace', cwd },
    commands: [['sh', '-c', line]],
    wrapper: ['env', `LD_PRELOAD=${library}`, `EXCHANGE_FROM=${from}`, `EXCHANGE_TO=${join(cwd, 'name')}`],
  })
  const isGone = statSync(from, { throwIfNoEntry: false }) === undefined
  return { exitCode: result?.exitCode, isGone, content: readFileSync(join(cwd, '.envrc'), 'utf8') }
}

const lines = [': > name', 'echo x >> name', 'exec 3<> name; echo x >&3', 'truncate -s 0 name']

describe.runIf(process.platform === 'linux')('a file that is exchanged just before it is opened', () => {
  it.for(lines)('is looked at again: %s', async (line) => {
    for (const comer of ['another name of a protected file', 'a link to a protected file'] as const) {
      const { exitCode, ...found } = await opened(line, comer)
      expect([comer, found]).toEqual([comer, { isGone: true, content: 'protected' }])
      expect(exitCode).not.toBe(0)
    }
  })

  it.for(lines)('is opened where it may be: %s', async (line) => {
    expect(await opened(line, 'another file')).toEqual({ exitCode: 0, isGone: true, content: 'protected' })
  })
})
