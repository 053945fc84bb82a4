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

it.each([
  ['run', [], ['base', 'run']],
  [
    '--ask, for a command that is not asked about,',
    ['--ask'],
    ['approver', 'ask', 'base', 'run', 'terminal'],
  ],
])('%s loads few files, no policy, and none of the slow modules of Node', async (_, options, files) => {
  const names = await loaded(new Home(), 'run', ...options, '--', 'true')
  expect(names.filter((name) => name.startsWith('NativeModule') && slow.test(name))).toEqual([])
  const own = names.flatMap((name) => name.split('/dist/').slice(1)).sort()
  expect(own).toEqual(['cli.cjs', ...files.map((file) => `cli/${file}.cjs`)])
})

it.each(['--version', '--help'])('%s loads the help alone', async (option) => {
  const names = await loaded(new Home(), option)
  const own = names.flatMap((name) => name.split('/dist/').slice(1)).sort()
  expect(own).toEqual(['cli.cjs', 'cli/base.cjs', 'cli/help.cjs'])
})
