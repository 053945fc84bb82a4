import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repository } from '../helpers/programs.ts'
import { Home } from './vitrine.ts'

/** A home with a project below it, whose file says what is given. */
function makeProject(toml: string) {
  const home = new Home()
  const project = join(home.directory, 'project')
  const below = join(project, 'below')
  const file = join(project, '.vitrine.toml')
  mkdirSync(below, { recursive: true })
  mkdirSync(join(project, '.git'))
  writeFileSync(file, toml)
  return { home, project, below, file }
}

describe('config show', () => {
  test('is a table of every key with its value and where that comes from', async () => {
    const home = new Home()
    const config = home.configure('[shell]\ntimeout_ms = 5000\n')
    const ran = await home.run(['config', 'show'], { env: { VITRINE_ENV_PASS: 'A,B' } })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const lines = ran.stdout.trimEnd().split('\n')
    const line = (key: string) => lines.find((text) => text.startsWith(`${key} `))?.split(/ {2,}/)
    expect(line('shell.timeout_ms')).toEqual(['shell.timeout_ms', '5000', `user: ${config}`])
    expect(line('env.pass')).toEqual(['env.pass', '["A", "B"]', 'variable: VITRINE_ENV_PASS'])
    expect(line('output.max_bytes')).toEqual(['output.max_bytes', '1073741824', 'default'])
    const { properties } = JSON.parse(readFileSync(join(repository, 'config.schema.json'), 'utf8'))
    const keys = Object.entries<{ properties: object }>(properties).flatMap(([section, table]) =>
      Object.keys(table.properties).map((name) => `${section}.${name}`),
    )
    expect(lines.map((text) => text.split(' ', 1)[0])).toEqual(keys)
  })

  test('tells on stderr what of a project file does not count', async () => {
    const { home, below } = makeProject('[shell]\nnetwork = true\ntimeout_ms = 7\n')
    const ran = await home.run(['config', 'show'], { cwd: below })
    expect(ran.stderr).toMatch(/^vitrine: .*\.vitrine\.toml:2: shell\.network = true is ignored/)
    expect(ran.stdout).toMatch(/^shell\.timeout_ms +7 +project: /m)
    expect(ran.stdout).toMatch(/^shell\.network +false +default$/m)
  })

  test('--json has values, files and what is ignored', async () => {
    const { home, below, file } = makeProject('[shell]\nnetwork = true\n')
    const ran = await home.run(['config', 'show', '--json'], { cwd: below })
    expect(ran.stderr).toBe('')
    const shown = JSON.parse(ran.stdout)
    expect(shown.files).toEqual([{ file, source: 'project', trusted: false }])
    expect(shown.ignored).toMatchObject([
      { key: 'shell.network', value: true, file, line: 2, why: 'loosens' },
    ])
    expect(shown.values).toContainEqual({
      key: 'shell.network',
      value: false,
      text: 'false',
      source: 'default',
      where: '',
    })
  })
})

test('config path is where the file of the user is looked for', async () => {
  const home = new Home()
  const config = home.configure('')
  expect((await home.run(['config', 'path'])).stdout).toBe(`${config}\n`)
})

describe('config init', () => {
  test('writes a file that every command takes, and does not write over it', async () => {
    const home = new Home()
    const ran = await home.run(['config', 'init'])
    const file = join(home.directory, '.config/vitrine/config.toml')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(file)
    expect((await home.run(['run', '--', 'echo hi'])).stdout).toBe('hi\n')
    writeFileSync(file, '# mine\n')
    const again = await home.run(['config', 'init'])
    expect(again.code).toBe(125)
    expect(again.stderr).toMatch(/^vitrine: .*exists already/)
    expect(readFileSync(file, 'utf8')).toBe('# mine\n')
  })

  test('takes another path', async () => {
    const home = new Home()
    await home.run(['config', 'init', 'own.toml'])
    const example = readFileSync(join(repository, 'config.example.toml'), 'utf8')
    expect(readFileSync(join(home.directory, 'own.toml'), 'utf8')).toBe(example.replace(/^\w+ = /gm, '# $&'))
  })

  test('says why it cannot', async () => {
    const ran = await new Home().run(['config', 'init', '/dev/null/own.toml'])
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain('could not be written (ENOTDIR)')
  })
})

describe('config trust', () => {
  test('says what it trusts, and from then on it counts, until the file changes', async () => {
    const { home, below, file } = makeProject('[shell]\nnetwork = true\n')
    const ran = await home.run(['config', 'trust'], { cwd: below })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(`${file}: trusted`)
    expect(ran.stdout).toContain('now counts: shell.network = true')
    expect((await home.run(['config', 'show'], { cwd: below })).stdout).toMatch(
      /^shell\.network +true +project/m,
    )
    writeFileSync(file, '[shell]\nnetwork = true \n')
    expect((await home.run(['config', 'show'], { cwd: below })).stdout).toMatch(
      /^shell\.network +false +default/m,
    )
  })

  test('takes a file by name', async () => {
    const { home, file, below } = makeProject('[shell]\nnetwork = true\n')
    expect((await home.run(['config', 'trust', file])).stdout).toContain('now counts: shell.network = true')
    expect((await home.run(['config', 'show'], { cwd: below })).stdout).toMatch(/^shell\.network +true /m)
  })

  test('says what no trust makes count', async () => {
    const { home, below } = makeProject('[policy]\nauto_confirm = true\n')
    const ran = await home.run(['config', 'trust'], { cwd: below })
    expect(ran.stdout).not.toContain('now counts')
    expect(ran.stdout).toContain('policy.auto_confirm = true is ignored: only your own config file')
  })

  test.each([
    ['a file that is not there', ['.vitrine.toml'], 'does not exist'],
    ['a file that no command reads', ['other.toml'], 'only a file named .vitrine.toml counts'],
    ['no file where there is none', [], 'There is no project file to trust'],
  ])('%s is refused', async (_, args, said) => {
    const home = new Home()
    writeFileSync(join(home.directory, 'other.toml'), '')
    const ran = await home.run(['config', 'trust', ...args])
    expect(ran).toMatchObject({ code: 125, stdout: '' })
    expect(ran.stderr).toContain(said)
  })

  test('a file that is not valid is not trusted', async () => {
    const { home, below } = makeProject('[shell]\nnetwork = maybe\n')
    const ran = await home.run(['config', 'trust'], { cwd: below })
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain('.vitrine.toml:2:')
  })
})

test('config schema is the schema of the package', async () => {
  const ran = await new Home().run(['config', 'schema'])
  expect(ran.stdout).toBe(readFileSync(join(repository, 'config.schema.json'), 'utf8'))
})
