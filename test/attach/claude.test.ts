import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { judgingScript } from '../../src/attach/scripts.ts'
import { parseJsonc } from '../../src/base/edits.ts'
import { Home } from '../cli/vitrine.ts'
import { makeRepository } from '../helpers/git.ts'
import { makeDirectory } from '../helpers/place.ts'

/** What Claude Code 2.1.332 starts and says, with real processes in its place. */
const home = new Home()
const project = join(home.directory, 'a project')
const outside = makeDirectory()
const directoryFile = join(outside, 'claude-1a2b-cwd')
let wrapper = ''
let hookLines: readonly string[] = []

beforeAll(async () => {
  delete home.env['CLAUDE_CONFIG_DIR']
  makeRepository(project)
  mkdirSync(join(project, 'sub'))
  mkdirSync(join(home.directory, '.claude'))
  writeFileSync(join(home.directory, '.bashrc'), '')
  writeFileSync(join(home.directory, 'snapshot.sh'), 'say() { echo "said $1"; }\n')
  expect(await home.run(['attach', 'claude'])).toMatchObject({ code: 0 })
  const written = Object(parseJsonc(readFileSync(join(home.directory, '.claude/settings.json'), 'utf8')))
  wrapper = written.env.CLAUDE_CODE_SHELL
  hookLines = written.hooks.PreToolUse.map(
    (entry: { hooks: [{ command: string }] }) => entry.hooks[0].command,
  )
})

const word = (command: string) => `'${command.replaceAll("'", `'"'"'`)}'`
const lineOf = (command: string, input = ' < /dev/null') =>
  `source ${join(home.directory, 'snapshot.sh')} 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true && eval ${word(command)}${input} && pwd -P >| ${directoryFile}`

function start(args: readonly string[], cwd = project, env: NodeJS.ProcessEnv = {}) {
  const line = 'cd "$1" && shift && "$@" 2>&1; code=$?; exit $code'
  // Its parent's directory is that of the session.
  const ran = spawnSync('bash', ['-c', line, 'claude', cwd, wrapper, ...args], {
    cwd: project,
    env: { ...home.env, ...env },
    encoding: 'utf8',
  })
  return { code: ran.status, output: ran.stdout }
}

describe('the shell of claude', () => {
  it.each([
    ['say it', 0, 'said it\n'],
    [`echo 'a' "b" $'c\\td'`, 0, 'a b c\td\n'],
    ['[[ a == a ]] && echo {1,2} && cat <(echo p)', 0, '1 2\np\n'],
    ['echo e >&2; echo o; exit 3', 3, 'e\no\n'],
    ['echo made > new; cat new', 0, 'made\n'],
    ['cat', 0, ''],
  ])('runs %s in bash', (command, code, output) => {
    expect(start(['-c', lineOf(command)])).toEqual({ code, output })
  })

  it('refuses what workspace mode refuses, and says so', () => {
    const { code, output } = start(['-c', lineOf(`echo x > ${outside}/made; echo x > .git/hooks/pre-commit`)])
    expect(code).not.toBe(0)
    expect(output).toMatch(/^vitrine: /m)
    expect(existsSync(join(outside, 'made'))).toBe(false)
    expect(existsSync(join(project, '.git/hooks/pre-commit'))).toBe(false)
  })

  it('tells the directory in which a line ends, and shows nothing of that', () => {
    expect(start(['-c', lineOf('cd sub; printf %0100000d 0')])).toEqual({
      code: 0,
      output: '0'.repeat(100_000),
    })
    expect(readFileSync(directoryFile, 'utf8')).toBe(`${project}/sub\n`)
    expect(start(['-c', lineOf('pwd')], join(project, 'sub')).output).toBe(`${project}/sub\n`)
  })

  it('follows no link that stands where the directory is told', () => {
    const file = join(outside, 'kept')
    writeFileSync(file, 'kept')
    renameSync(directoryFile, `${directoryFile}.old`)
    symlinkSync(file, directoryFile)
    start(['-c', lineOf('cd sub')])
    renameSync(directoryFile, `${directoryFile}.link`)
    expect(readFileSync(file, 'utf8')).toBe('kept')
  })

  it('the workspace stays that of the session, whatever directory a line is in', () => {
    expect(start(['-c', lineOf('echo x > ../beside')], join(project, 'sub'))).toMatchObject({ code: 0 })
    expect(existsSync(join(project, 'beside'))).toBe(true)
  })

  it.each([
    [['-c', `echo x > ${outside}/bare`]],
    [['-c', lineOf('true').replace('eval', 'exec')]],
    [['-c', '-i', lineOf('true')]],
    [['-l']],
    [[]],
    [['-c', `${lineOf('true')}; echo x > ${outside}/bare`]],
    [['-c', lineOf('true').replace('claude-1a2b-cwd', 'elsewhere')]],
    [['-c', `${lineOf('true').replace(directoryFile, '')}$(echo x >${outside}/bare)/claude-1a-cwd`]],
  ])('runs nothing of %j', (args) => {
    expect(start(args).code).toBe(125)
    expect(existsSync(join(outside, 'bare'))).toBe(false)
  })

  it("answers claude's own questions with the real bash", () => {
    expect(start(['-c', 'env']).output).toContain(`HOME=${home.directory}`)
    const made = join(outside, 'snapshot')
    expect(start(['-c', '-l', `SNAPSHOT_FILE=${made}\necho x >| "$SNAPSHOT_FILE"`])).toEqual({
      code: 0,
      output: '',
    })
    expect(existsSync(made)).toBe(true)
  })

  it('startup files and functions of a project are not obeyed by that bash', () => {
    const made = join(outside, 'unheld')
    writeFileSync(join(project, 'evil.sh'), `echo x > ${made}`)
    const env = { ...home.env, BASH_ENV: './evil.sh', 'BASH_FUNC_env%%': `() { echo x > ${made}; }` }
    expect(spawnSync(wrapper, ['-c', 'env'], { cwd: project, env }).status).toBe(0)
    expect(existsSync(made)).toBe(false)
  })

  it('a link of a dotfile manager lets no command change what attaching wrote', async () => {
    const [own, kept] = [join(home.directory, '.claude/settings.json'), join(project, 'kept.json')]
    renameSync(own, kept)
    symlinkSync(kept, own)
    await home.run(['attach', 'claude'])
    const text = readFileSync(kept, 'utf8')
    start(['-c', lineOf('echo {} > kept.json; rm kept.json')])
    expect(readFileSync(kept, 'utf8')).toBe(text)
    expect(await hook('Write', { file_path: kept })).toMatchObject({ code: 2 })
    renameSync(kept, own)
    await home.run(['attach', 'claude'])
  })

  it('Node options of a project are not obeyed', () => {
    const script = join(project, 'evil.cjs')
    writeFileSync(script, `require('fs').writeFileSync('${outside}/evil', '')`)
    expect(start(['-c', lineOf('true')], project, { NODE_OPTIONS: `--require "${script}"` })).toMatchObject({
      code: 0,
    })
    expect(existsSync(join(outside, 'evil'))).toBe(false)
  })

  it.each(['TERM', 'KILL'] as const)('a command ends when claude is ended by SIG%s', async (signal) => {
    const mark = `4${process.pid}${signal.length}`
    const claude = spawn('bash', ['-c', '"$@"; exit', 'claude', wrapper, '-c', lineOf(`sleep ${mark}`)], {
      cwd: project,
      env: home.env,
    })
    const isThere = () => spawnSync('pgrep', ['-f', `^sleep ${mark}$`]).status === 0
    await expect.poll(isThere, { timeout: 20_000 }).toBe(true)
    claude.kill(`SIG${signal}`)
    if (signal === 'KILL') await once(claude, 'exit')
    await expect.poll(isThere, { timeout: 20_000 }).toBe(false)
  })
})

describe('a project', () => {
  const settings = join(project, '.claude/settings.local.json')
  const withSettings = async (text: string, work: () => Promise<void> | void) => {
    mkdirSync(join(project, '.claude'), { recursive: true })
    writeFileSync(settings, text)
    await work()
    writeFileSync(settings, '{}')
  }

  it.each([
    ['disableAllHooks', '{ "disableAllHooks": true }'],
    ['env', '{ "env": { "PATH": "bin" } }'],
    ['hooks', '{ "hooks": { "PreToolUse": [] } }'],
    ['cannot read', '{ "disableAllHooks": true'],
  ])('that has %s runs nothing until the user trusts the file', async (name, text) => {
    await withSettings(text, async () => {
      expect(start(['-c', lineOf('echo ran')])).toEqual({ code: 125, output: expect.stringContaining(name) })
      expect(await hook('Write', { file_path: join(project, 'x') })).toMatchObject({ code: 2 })
      expect(await home.run(['config', 'trust', settings])).toMatchObject({ code: 0 })
      expect(start(['-c', lineOf('echo ran')])).toEqual({ code: 0, output: 'ran\n' })
    })
  })

  it.each([
    ['CLAUDE_CONFIG_DIR', '.claude', '.claude/settings.json'],
    ['HOME', '/proc/self/cwd', '.claude/settings.json'],
    ['XDG_STATE_HOME', 'elsewhere', '.claude/settings.local.json'],
  ])('cannot have its settings taken for those of the user by %s', async (name, value, file) => {
    const env = { [name]: value }
    mkdirSync(join(project, '.claude'), { recursive: true })
    writeFileSync(join(project, file), JSON.stringify({ env }))
    await home.run(['config', 'trust', join(project, file)])
    const said = { code: 125, output: expect.stringContaining(name) }
    expect(start(['-c', lineOf('echo ran')], project, env)).toEqual(said)
    writeFileSync(join(project, file), '{}')
  })

  it('that sets nothing of this runs', async () => {
    await withSettings('{ "permissions": { "allow": ["Bash(ls:*)"] }, "disableAllHooks": false }', () => {
      expect(start(['-c', lineOf('echo ran')])).toEqual({ code: 0, output: 'ran\n' })
    })
  })
})

async function hook(tool: string, input: object, line = hookLines[1] ?? '', env: NodeJS.ProcessEnv = {}) {
  const told = { hook_event_name: 'PreToolUse', cwd: project, tool_name: tool, tool_input: input }
  const ran = spawnSync('/bin/sh', ['-c', line], {
    cwd: project,
    env: { ...home.env, CLAUDE_PROJECT_DIR: project, ...env },
    input: JSON.stringify(told),
    encoding: 'utf8',
  })
  return { code: ran.status, said: ran.stderr }
}

describe('the hook of claude', () => {
  it.each([
    ['Write', { file_path: join(project, 'new/file.ts') }, 0],
    ['Edit', { file_path: 'relative.ts' }, 0],
    ['NotebookEdit', { notebook_path: join(project, 'a.ipynb') }, 0],
    ['Write', { file_path: join(outside, 'made') }, 2],
    ['Write', { file_path: '../beside' }, 2],
    ['Edit', { file_path: join(project, '.git/hooks/pre-commit') }, 2],
    ['Edit', { file_path: join(project, '.git/config') }, 2],
    ['Write', { file_path: join(project, '.claude/settings.json') }, 2],
    ['MultiEdit', { file_path: join(project, 'sub/../.vscode/tasks.json') }, 2],
    ['Write', { file_path: join(project, '.github') }, 2],
    ['NotebookEdit', { notebook_path: join(outside, 'a.ipynb') }, 2],
    ['Write', { file_path: join(project, 'link/made') }, 2],
    ['Write', { file_path: join(project, 'hooks-link/pre-commit') }, 2],
    ['Edit', { file_path: join(project, 'hard-link') }, 2],
    ['Write', { file_path: `${project}/link/../made` }, 2],
    ['Write', { file_path: '~/made' }, 2],
    ['Write', { file_path: ` ${join(outside, 'made')}` }, 2],
    ['Write', { file_path: `file://${outside}/made` }, 2],
    ['Write', { file_path: '' }, 2],
    ['Write', {}, 2],
    ['Unknown', { file_path: join(project, 'x') }, 2],
  ])('%s %j: %i', async (tool, input, code) => {
    if (!existsSync(join(project, 'link'))) {
      symlinkSync(outside, join(project, 'link'))
      symlinkSync('.git/hooks', join(project, 'hooks-link'))
      writeFileSync(join(project, '.git/config'), '')
      linkSync(join(project, '.git/config'), join(project, 'hard-link'))
    }
    expect(await hook(tool, input)).toMatchObject({
      code,
      said: code === 0 ? '' : expect.stringMatching(/^vitrine: /),
    })
  })

  it('refuses every change in read mode', async () => {
    const line = '"$NODE_PROGRAM" "$CLI_PROGRAM" hook claude --mode read'
    const { code, said } = await hook('Write', { file_path: join(project, 'x') }, line)
    expect(said).toContain('read mode')
    expect(code).toBe(2)
  })

  it.each(['process.exit(0)', 'process.exit(1)', 'process.kill(process.pid)'])(
    'a vitrine that only does %s judges nothing',
    (text) => {
      const program = join(outside, 'program.cjs')
      writeFileSync(program, text)
      const script = join(outside, 'hook')
      writeFileSync(script, judgingScript([process.execPath, program]), { mode: 0o755 })
      const { status, stderr } = spawnSync(script, { encoding: 'utf8' })
      expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining('vitrine: ') })
    },
  )

  it('refuses what is no JSON, and a call where vitrine is gone', async () => {
    const ran = await home.run(['hook', 'claude'], { input: 'no JSON' })
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot judge') })
    expect(await hook('Write', {}, '/nowhere/hook files || exit 2')).toMatchObject({ code: 2 })
  })

  it('refuses Bash while another shell is set, or none is there', async () => {
    const shell = (env: NodeJS.ProcessEnv) => hook('Bash', { command: 'ls' }, hookLines[0], env)
    expect(await shell({ CLAUDE_CODE_SHELL: wrapper })).toEqual({ code: 0, said: '' })
    for (const env of [
      { CLAUDE_CODE_SHELL: '/bin/bash' },
      { CLAUDE_CODE_SHELL: wrapper, CLAUDE_CODE_SHELL_PREFIX: '/x' },
      {},
    ])
      expect(await shell(env)).toMatchObject({ code: 2, said: expect.stringContaining('unheld') })
    renameSync(wrapper, `${wrapper}.gone`)
    expect(await shell({ CLAUDE_CODE_SHELL: wrapper })).toMatchObject({ code: 2 })
    renameSync(`${wrapper}.gone`, wrapper)
  })
})
