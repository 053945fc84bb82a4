import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Home } from './vitrine.ts'

/** What starting takes time for; `run` needs none of it for a command that prints nothing. */
const slow = /\b(crypto|net|tty|stream|child_process|dgram|http|worker_threads|readline)\b/

/** The names of Node's own modules and of files that a start of the command line loads, beyond those of Node alone. */
async function loaded(home: Home, ...args: string[]): Promise<string[]> {
  const list = join(home.directory, 'loaded.json')
  const hook = join(home.directory, 'hook.cjs')
  writeFileSync(
    hook,
    `const before = new Set(process.moduleLoadList)
     process.on('exit', () => {
       const own = process.moduleLoadList.filter((name) => !before.has(name))
       const files = Object.keys(require.cache)
       require('fs').writeFileSync(${JSON.stringify(list)}, JSON.stringify([...own, ...files]))
     })`,
  )
  const ran = await home.run(args, { env: { NODE_OPTIONS: `--require ${hook}` } })
  expect(ran.code).toBe(0)
  return JSON.parse(readFileSync(list, 'utf8'))
}

it('run loads three files of its own, the addon, and none of the slow modules of Node', async () => {
  const names = await loaded(new Home(), 'run', '--', 'true')
  expect(names.filter((name) => name.startsWith('NativeModule') && slow.test(name))).toEqual([])
  const own = names.filter((name) => name.includes('/dist/')).map((name) => name.replace(/.*\/dist\//, ''))
  expect(own.sort()).toEqual(['cli.cjs', 'cli/base.cjs', 'cli/run.cjs'])
})

it('--ask loads neither the policy nor node:tty for a command that is not asked about', async () => {
  const names = await loaded(new Home(), 'run', '--ask', '--', 'true')
  const own = names
    .filter((name) => name.includes('/dist/cli/'))
    .map((name) => name.replace(/.*\/dist\/cli\//, ''))
  expect(own.sort()).toEqual(['approver.cjs', 'ask.cjs', 'base.cjs', 'run.cjs', 'terminal.cjs'])
  expect(names.filter((name) => name.startsWith('NativeModule') && slow.test(name))).toEqual([])
})
