import { describe, expect, it } from 'vitest'
import { Home } from './vitrine.ts'

const line = 'for name in FOO NPM_TOKEN BAR; do printenv $name || echo unset; done'

const env = { FOO: 'outer', NPM_TOKEN: 'secret' }

describe('vitrine run --env', () => {
  it.each([
    [['--env', 'FOO'], 'outer unset unset'],
    [['--env', 'FOO=a=b'], 'a=b unset unset'],
    [['--env=FOO='], ' unset unset'],
    [['--env', 'FOO=1', '--env', 'NPM_TOKEN', '--env', 'BAR=x y', '--env', 'FOO=2'], '2 secret x y'],
    [['--env', 'NOT_SET_ANYWHERE'], 'unset unset unset'],
    [['--write'], 'outer unset unset'],
    [['--write', '--env', 'NPM_TOKEN'], 'outer secret unset'],
  ])('%j', async (options, printed) => {
    const ran = await new Home().run(['run', ...options, '--', line], { env })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout.trimEnd().replaceAll('\n', ' ')).toBe(printed)
  })
})
