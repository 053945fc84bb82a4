import { describe, expect, it } from 'vitest'
import { freshState, type SessionState, type StatefulShell } from '../../src/request/state.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isExecutable } from '../helpers/programs.ts'

/** Numbers that look like chance, the same in every run. */
function chance(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const odd = [
  "'",
  '"',
  '\\',
  '$',
  '`',
  '\n',
  '$(exit 9)',
  '!',
  '~',
  ' ',
  '\t',
  '{',
  '}',
  ';',
  '#',
  '&',
  '*',
  '\r',
  '\u001b',
  '\u007f',
  'é',
  '€',
  '😀',
  '\udc80',
  '\udcff',
  '\udcfe',
]
const letters = [...'abcXYZ019=-/.,']

function textBy(pick: (below: number) => number): string {
  const all = [...odd, ...letters]
  return Array.from({ length: pick(12) }, () => all[pick(all.length)]).join('')
}

function stateBy(seed: number, shell: StatefulShell, cwd: string): SessionState {
  const pick = chance(seed)
  const record = (prefix: string) =>
    Object.fromEntries(Array.from({ length: 1 + pick(6) }, (_, at) => [`${prefix}${at}`, textBy(pick)]))
  return {
    ...freshState(cwd),
    env: record('E_'),
    variables: record('v_'),
    aliases: record('a_'),
    shell,
    mode: 'read',
  }
}

describe.each([
  ['dash', '/bin/dash'],
  ['bash', '/bin/bash'],
] as const)('whatever names and values hold, %s', (shell, program) => {
  it.skipIf(!isExecutable(program))('has them again, and runs nothing', { timeout: 120_000 }, async () => {
    const cwd = makeDirectory()
    const open = await openTestShell({ program, cwd, mode: 'read', env: { PATH: '/nowhere' } })
    for (let seed = 1; seed <= 150; seed++) {
      const state = stateBy(seed, shell, cwd)
      const session = open.session(state)
      const result = await session.execute({ command: ':' })
      expect(result, `seed ${seed}`).toMatchObject({ exitCode: 0, output: '', session: { kept: true } })
      expect(session.state, `seed ${seed}`).toEqual(state)
    }
  })

  it.skipIf(!isExecutable(program))('has every byte again', async () => {
    const cwd = makeDirectory()
    const session = (await openTestShell({ program, cwd })).session()
    const bytes = Array.from({ length: 255 }, (_, at) => `\\${(at + 1).toString(8).padStart(3, '0')}`).join(
      '',
    )
    await session.execute({
      command: `x=$(printf '${bytes.replace('\\045', '%%')}.'); x=\${x%.}; export y="$x"`,
    })
    const { stdout } = await session.execute({ command: 'printf %s "$x$y"' }, { encoding: 'buffer' })
    const all = Buffer.from(Array.from({ length: 255 }, (_, at) => at + 1))
    expect(stdout.equals(Buffer.concat([all, all]))).toBe(true)
  })
})
