import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { errorOf, Home, type Ran } from '../cli/vitrine.ts'

/** Where stderr says that a value does not count: file, line and key. */
function ignoredIn({ stderr }: Ran): string[] {
  return stderr.match(/^vitrine: \S+:\d+: [\w.]+(?= = )/gm) ?? []
}

describe('a project file that loosens what the user has set', () => {
  let home: Home
  let project: string
  let file: string
  const made = (name: string) => existsSync(join(project, name))
  const run = (...args: string[]) => home.run(args, { cwd: join(project, 'below') })

  beforeEach(() => {
    home = new Home()
    home.configure('[policy]\nunattended = "deny"\n')
    project = join(home.directory, 'project')
    mkdirSync(join(project, '.git'), { recursive: true })
    mkdirSync(join(project, 'below'))
    file = join(project, '.vitrine.toml')
    writeFileSync(file, '[policy]\nallow = ["touch"]\n')
  })

  it('is ignored, and that is said once on stderr', async () => {
    const ran = await run('run', '--write', '--', 'touch ../made')
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ignoredIn(ran)).toEqual([`vitrine: ${file}:2: policy.allow`])
    expect(made('made')).toBe(false)
  })

  it('counts once it is trusted', async () => {
    expect(await run('config', 'trust')).toMatchObject({ code: 0, stderr: '' })
    expect(await run('run', '--write', '--', 'touch ../made')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: '',
    })
    expect(made('made')).toBe(true)
    const checked = await run('policy', 'check', '--json', '--write', '--', 'touch ../made')
    expect(checked.code).toBe(0)
    expect(JSON.parse(checked.stdout).matches).toContainEqual(
      expect.objectContaining({ rule: 'touch', source: file }),
    )
  })

  it('cannot be trusted by a command that vitrine runs', async () => {
    const ran = await run('run', '--json', '--write', '--', 'vitrine config trust')
    expect(ran.code).toBe(125)
    expect(errorOf(ran).code).toBe('DENIED')
    expect((await run('run', '--write', '--', 'touch ../made')).code).toBe(125)
  })

  it.each(['rm ../.vitrine.toml', 'echo >> ../.vitrine.toml', 'cp x ../.vitrine.toml'])(
    'nor changed by one: %s',
    async (command) => {
      expect((await run('policy', 'check', '--write', '--', command)).code).toBe(2)
    },
  )
})

it('the file that --config names cannot be changed by a command either', async () => {
  const home = new Home()
  const file = join(home.directory, 'mine.toml')
  writeFileSync(file, '[policy]\nallow = ["touch"]\n')
  const ran = await home.run(['policy', 'check', '--write', '--config', file, '--', 'touch mine.toml'])
  expect(ran.code).toBe(2)
})
