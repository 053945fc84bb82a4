import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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
  it('is a table of every key with its value and where that comes from', async () => {
    const home = new Home()
    const config = home.configure('[shell]\ntimeout_ms = 5000\n')
    const ran = await home.run(['config', 'show'], { env: { VITRINE_ENV_PASS: 'A,B' } })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [table = '', workspace] = ran.stdout.split('\n\n')
    expect(workspace).toMatch(/^The workspace is \/.*: this directory, because git finds no \.git .*\.\n$/)
    const lines = table.split('\n')
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

  it('tells on stderr what of a project file does not count', async () => {
    const { home, below, file } = makeProject('[shell]\nnetwork = true\ntimeout_ms = 7\n')
    const ran = await home.run(['config', 'show'], { cwd: below })
    expect(ran.stderr).toContain(`vitrine: ${file}:2: shell.network = true is ignored: `)
    expect(ran.stdout).toMatch(/^shell\.timeout_ms +7 +project: /m)
    expect(ran.stdout).toMatch(/^shell\.network +false +default$/m)
  })

  it('--config shows the values of another file, and --cwd those of another directory', async () => {
    const { home, below } = makeProject('[shell]\ntimeout_ms = 2000\n')
    home.configure('[shell]\nnetwork = true\n')
    writeFileSync(join(home.directory, 'own.toml'), '[shell]\nmax_timeout_ms = 7000\n')
    const ran = await home.run(['config', 'show', '--config', 'own.toml', '--cwd', below])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(/^shell\.max_timeout_ms +7000 .*own\.toml/m)
    expect(ran.stdout).toMatch(/^shell\.timeout_ms +2000 /m)
    expect(ran.stdout).toMatch(/^shell\.network +false +default$/m)
  })

  it('--json has values, files and what is ignored', async () => {
    const { home, below, file } = makeProject('[shell]\nnetwork = true\n')
    const ran = await home.run(['config', 'show', '--json'], { cwd: below })
    expect(ran.stderr).toBe('')
    const shown = JSON.parse(ran.stdout)
    // Its `.git` is empty.
    expect(shown.workspace).toBe(below)
    expect(shown.files).toEqual([{ file, source: 'project', trusted: false }])
    expect(shown.ignored).toMatchObject([
      { key: 'shell.network', value: true, file, line: 2, why: 'loosens' },
    ])
    const row = { key: 'shell.network', value: false, text: 'false', source: 'default', where: '' }
    expect(shown.values).toContainEqual(row)
  })
})

it('config path is where the file of the user is looked for', async () => {
  const home = new Home()
  const config = home.configure('')
  expect((await home.run(['config', 'path'])).stdout).toBe(`${config}\n`)
})

describe('config init', () => {
  it('writes a file that every command takes, and does not write over it', async () => {
    const home = new Home()
    const ran = await home.run(['config', 'init'])
    const file = join(home.directory, '.config/vitrine/config.toml')
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain(file)
    expect((await home.run(['run', '--', 'echo hi'])).stdout).toBe('hi\n')
    writeFileSync(file, '# mine\n')
    const again = await home.run(['config', 'init'])
    expect(again).toMatchObject({ code: 125, stderr: `vitrine: ${file}: already exists and is unchanged\n` })
    expect(readFileSync(file, 'utf8')).toBe('# mine\n')
  })
})

describe('config trust', () => {
  it('says what it trusts, and from then on it counts, until the file changes', async () => {
    const { home, below, file } = makeProject('[shell]\nnetwork = true\n')
    const ran = await home.run(['config', 'trust'], { cwd: below })
    const told = `${file}: trusted until the file changes\nnow applies: shell.network = true\n`
    expect(ran).toMatchObject({ code: 0, stderr: '', stdout: told })
    expect((await home.run(['config', 'show'], { cwd: below })).stdout).toMatch(
      /^shell\.network +true +project/m,
    )
    writeFileSync(file, '[shell]\nnetwork = true \n')
    expect((await home.run(['config', 'show'], { cwd: below })).stdout).toMatch(
      /^shell\.network +false +default/m,
    )
  })

  it('says what no trust makes count', async () => {
    const { home, below, file } = makeProject('[policy]\nauto_confirm = true\n')
    const ran = await home.run(['config', 'trust'], { cwd: below })
    expect(ran.stdout).toContain(`${file}:2: policy.auto_confirm = true is ignored: only your own`)
  })
})

it('config schema is the schema of the package', async () => {
  const ran = await new Home().run(['config', 'schema'])
  expect(ran.stdout).toBe(readFileSync(join(repository, 'config.schema.json'), 'utf8'))
})

describe.each([
  ['an empty HOME', ''],
  ['a relative HOME', '.'],
])('%s', (_, value) => {
  const home = new Home()
  const env = { HOME: value, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }

  it('makes no file of the working directory the configuration of the user', async () => {
    mkdirSync(join(home.directory, '.config/vitrine'), { recursive: true })
    writeFileSync(join(home.directory, '.config/vitrine/config.toml'), '[shell]\nmode = "write"\n')
    const ran = await home.run(['run', '--', 'echo > made'], { env })
    expect(ran.code).not.toBe(0)
    expect(existsSync(join(home.directory, 'made'))).toBe(false)
  })

  it('does not count where files are read and written', async () => {
    const { stdout } = await home.run(['config', 'path'], { env })
    expect(stdout).toMatch(/^\/.*\/vitrine\/config\.toml\n$/)
    expect(stdout).not.toContain(home.directory)
  })
})
