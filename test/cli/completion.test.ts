import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { grammar } from '../../src/cli/grammar.ts'
import { makeDirectory } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'
import { Tmux } from '../helpers/tmux.ts'
import { Home } from './vitrine.ts'

const home = new Home()
// Outputs in the machine's temporary directory are offered as well.
home.env['TMPDIR'] = makeDirectory()
mkdirSync(join(home.directory, 'bin'))
mkdirSync(join(home.directory, 'some where'))
writeFileSync(join(home.directory, 'some.toml'), '')
writeFileSync(join(home.directory, 'bin/vitrine'), '#!/bin/sh\nexec "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"\n', {
  mode: 0o755,
})
const env = { ...home.env, PATH: `${join(home.directory, 'bin')}:${process.env['PATH'] ?? ''}` }

async function candidates(...words: string[]): Promise<readonly string[]> {
  const ran = await home.run(['completion', 'candidates', '--', ...words])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  return ran.stdout.split('\n').filter((line) => line !== '')
}

it.each([
  ['', Object.keys(grammar).join(' ')],
  ['p', 'policy ps'],
  ['policy ', 'check list'],
  ['mcp --mode ', 'read workspace write both'],
  ['mcp --mode w', 'workspace write'],
  ['mcp --mode=w', '--mode=workspace --mode=write'],
  ['mcp --mode = w', 'workspace write'],
  ['mcp install c', 'claude codex cursor'],
  ['run --pr', '--private-tmp'],
  ['run --json --timeout 3s --wo', '--workspace'],
  ['config show --j', '--json'],
  ['completion ', 'bash zsh fish'],
  ['run --timeout ', ''],
  ['nonsense --x constructor --__proto__= ', Object.keys(grammar).join(' ')],
])('for "%s" the words are "%s"', async (typed, expected) => {
  const words = (await candidates(...typed.split(' '))).map((line) => line.replace(/\t.*/, ''))
  expect(words.join(' ')).toBe(expected)
})

it.each([
  ['run --cwd s', ':directory '],
  ['run --cwd=s', ':directory --cwd='],
  ['policy check --config ', ':file '],
  ['config init ', ':file '],
  ['run --json -- ', ':command 3'],
  ['run -- git -- x', ':command 2'],
])('for "%s" it is left to the shell: "%s"', async (typed, offer) => {
  expect(await candidates(...typed.split(' '))).toEqual([offer])
})

it('every option that a help names is offered with what the help says of it', async () => {
  const { stdout } = await home.run(['run', '--help'])
  const said = [...stdout.matchAll(/^ {2}(--[a-z-]+)(?: [A-Z[=\]]+)? {2,}(.+)$/gm)].map(
    ([, name, text]) => `${name}\t${text}`,
  )
  expect(said.length).toBeGreaterThan(10)
  expect([...(await candidates('run', '--'))].sort()).toEqual([...said, '--\t', '--help\t'].sort())
})

it('the names of saved outputs are offered', async () => {
  await home.run(['run', '--scratchpad', 'kept', '--', 'echo kept'])
  expect(await candidates('scratchpad', 'show', 'k')).toEqual(['kept\t'])
})

const shells = [
  { name: 'bash', start: 'exec bash --norc --noprofile', load: 'eval "$(vitrine completion bash)"' },
  {
    name: 'zsh',
    start: 'exec zsh -f',
    load: 'autoload -U compinit; compinit -u -D; setopt autolist; eval "$(vitrine completion zsh)"',
  },
  { name: 'fish', start: 'exec fish --no-config', load: 'vitrine completion fish | source' },
]

for (const { name, start, load } of shells) {
  const missing = isInstalled('tmux') && isInstalled(name) ? '' : ` (${name} or tmux is not installed)`
  describe.skipIf(missing !== '')(`in a real ${name}${missing}`, () => {
    let terminal: Tmux
    let cleared = 0

    /** An empty screen but for a word of its own, and an empty line to type at. */
    const clear = async () => {
      const word = `ready${cleared++}`
      terminal.line(`clear; echo ''${word}`)
      await terminal.shows(new RegExp(`^${word}$`, 'm'))
      terminal.forget()
    }

    beforeAll(async () => {
      terminal = new Tmux(env, home.directory)
      terminal.line(`PS1='> '; export PS1; ${start}`)
      terminal.line(load)
      await clear()
    })

    it.each([
      ['a command', 'vitrine scr', 'vitrine scratchpad'],
      ['an option', 'vitrine run --priv', 'vitrine run --private-tmp'],
      ['a file', 'vitrine run --config some.', '--config some.toml'],
      ['the program behind "--"', 'vitrine run -- printen', '-- printenv'],
      ['the arguments of that program', 'vitrine run --json -- ls some.', '-- ls some.toml'],
    ])('completes %s', async (_, typed, shown) => {
      terminal.key('C-c')
      await clear()
      terminal.type(typed)
      terminal.key('Tab')
      await terminal.shows(shown)
    })
  })
}
