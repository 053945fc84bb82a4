import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { prefixed } from '../../src/cli/output.ts'
import { policyReport } from '../../src/cli/policy.ts'
import { errorOf, Home } from './vitrine.ts'

const home = new Home()
const check = (...args: string[]) => home.run(['policy', 'check', ...args])

describe('policy check', () => {
  it.each([
    ['allow', 0, ['--write', '--', 'ls -la']],
    ['ask', 1, ['--write', '--', 'git push']],
    ['deny', 2, ['--write', '--', 'rm -rf /']],
    ['allow', 0, ['--', 'git push']],
    ['allow', 0, ['--', 'rm -rf /']],
    ['allow', 0, ['--write', '--', 'git', 'status']],
    ['ask', 1, ['--write', '--', 'touch', 'a b']],
  ])('%s is exit code %i: %j', async (verdict, code, args) => {
    const json = await check('--json', ...args)
    expect(json).toMatchObject({ code, stderr: '' })
    const decision = JSON.parse(json.stdout)
    const isHeld = verdict === 'allow' && args[0] === '--write'
    expect(Object.keys(decision)).toEqual(['verdict', ...(isHeld ? ['held'] : []), 'reason', 'matches'])
    expect(decision.verdict).toBe(verdict)
    for (const match of decision.matches)
      expect(Object.keys(match)).toEqual(['command', 'rule', 'source', 'verdict', 'why'])
  })

  it('shows each simple command, the rule that matched, its source and why', async () => {
    const line = ['--write', '--', 'git status | wc -l; git push']
    const { stdout } = await check('--json', ...line)
    const plain = policyReport(JSON.parse(stdout))
    expect(await check(...line)).toMatchObject({ code: 1, stdout: plain, stderr: '' })
    expect(JSON.parse(stdout).matches).toMatchObject([
      { command: 'git status', verdict: 'allow', rule: 'git status', source: 'built-in safe list' },
      { command: 'wc -l', verdict: 'allow', rule: 'wc', source: 'built-in safe list' },
      { command: 'git push', verdict: 'ask', rule: 'unlisted', source: 'preset default' },
    ])
  })

  it('--backend docker refuses the same settings as run, with the same verdict', async () => {
    const own = new Home()
    const decided = (...args: string[]) => own.run(['policy', 'check', ...args, '--write', '--', 'git push'])
    const here = await decided()
    expect(await decided('--backend', 'docker')).toMatchObject({ code: 1, stdout: here.stdout })
    const file = own.configure('[limits]\nprocesses = 20\n')
    expect((await decided('--backend', 'local')).code).toBe(1)
    const [checked, ran] = await Promise.all([
      decided('--backend', 'docker'),
      own.run(['run', '--backend', 'docker', '--', 'true']),
    ])
    expect(checked).toMatchObject({ code: 125, stdout: '' })
    expect(checked.stderr).toBe(ran.stderr)
    expect(checked.stderr).toContain(`${file}:2:13: limits.processes`)
  })

  it.each(['touch made', 'echo $(touch made)'])('nothing runs: %s', async (line) => {
    await check('--write', '--', line)
    expect(existsSync(join(home.directory, 'made'))).toBe(false)
  })

  it('names the file and the line of a rule of the configuration', async () => {
    const own = new Home()
    const file = own.configure(
      '[policy]\nask = [\n  "npm publish",\n  "npm run",\n]\n\n[[policy.rule]]\nprefix = ["terraform"]\nverdict = "deny"\nreason = "only the pipeline does"\n',
    )
    const asked = await own.run(['policy', 'check', '--json', '--write', '--', 'npm run build'])
    expect(asked.code).toBe(1)
    const match = { command: 'npm run build', rule: 'npm run', source: file, verdict: 'ask' }
    expect(JSON.parse(asked.stdout).matches).toContainEqual({ ...match, why: expect.any(String) })
    const denied = await own.run(['policy', 'check', '--json', '--', 'terraform apply'])
    expect(denied.code).toBe(2)
    expect(JSON.parse(denied.stdout)).toMatchObject({
      reason: 'only the pipeline does',
      matches: expect.arrayContaining([expect.objectContaining({ rule: 'terraform', source: file })]),
    })
  })

  it('says that a line of the safe list runs held', async () => {
    const stdout = expect.stringMatching(/^allow \(held in read mode\): /m)
    expect(await check('--write', '--', 'ls | wc -l')).toMatchObject({ code: 0, stderr: '', stdout })
  })

  it.each([
    ['a safe line that nothing could hold: it names TMPDIR', '', ['--write', '--', 'ls $TMPDIR']],
    ['a safe line without a sandbox', 'sandbox = false', ['--write', '--', 'ls']],
    ['what the mode of the configuration does not hold', 'mode = "write"', ['--', 'git push']],
  ])('asks about %s', async (_, setting, args) => {
    const own = new Home()
    own.configure(`[shell]\n${setting}\n`)
    expect((await own.run(['policy', 'check', ...args])).code).toBe(1)
  })

  it.each([
    [[], { kind: 'usage' }],
    [['git', 'push'], { kind: 'usage' }],
    [['--', ''], { kind: 'blank-command' }],
    [['--config', '/nowhere.toml', '--', 'ls'], { kind: 'unreadable' }],
  ])('%j is refused', async (args, problem) => {
    const json = await check('--json', ...args)
    expect(json).toMatchObject({ code: 125, stderr: '' })
    expect(errorOf(json)).toMatchObject({ problem })
  })

  it.each([
    ['a project file', 'rm ../.vitrine.toml'],
    ['a project file', 'echo >> ../.vitrine.toml'],
    ['a project file', 'cp x ../.vitrine.toml'],
    ['the file that --config names', 'touch ../mine.toml'],
  ])('denies a command that changes %s: %s', async (_, line) => {
    const [own, cwd] = [new Home(), 'project/below']
    mkdirSync(join(own.directory, cwd), { recursive: true })
    mkdirSync(join(own.directory, 'project/.git'))
    for (const name of ['.vitrine.toml', 'mine.toml'])
      writeFileSync(join(own.directory, 'project', name), '[policy]\nallow = ["touch"]\n')
    const args = ['policy', 'check', '--write', '--config', '../mine.toml', '--', line]
    expect((await own.run(args, { cwd: join(own.directory, cwd) })).code).toBe(2)
  })
})

describe('policy list', () => {
  it('--json has them as data', async () => {
    const own = new Home()
    const file = own.configure(
      '[[policy.rule]]\nprefix = ["git", "push"]\nverdict = "deny"\nreason = "never from here"\n',
    )
    const ran = await own.run(['policy', 'list', '--json'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const list = JSON.parse(ran.stdout)
    const unlisted = { read: 'allow', workspace: 'allow', write: 'ask' }
    expect(list).toMatchObject({ preset: 'default', unlisted, autoConfirm: false })
    const rule = { verdict: 'deny', rule: 'git push', source: file, byArguments: false }
    expect(list.rules).toContainEqual({ ...rule, reason: 'never from here' })
  })

  it.each([
    ['open', { read: 'allow', workspace: 'allow', write: 'allow' }, 'python3', undefined],
    ['default', { read: 'allow', workspace: 'allow', write: 'ask' }, 'python3', undefined],
    ['analysis', { read: 'deny', workspace: 'deny', write: 'deny' }, 'python3', 'allow'],
  ])('says what the preset %s does, and check decides so', async (preset, unlisted, program, verdict) => {
    const env = { VITRINE_POLICY_PRESET: preset }
    const list = JSON.parse((await home.run(['policy', 'list', '--json'], { env })).stdout)
    expect(list).toMatchObject({ preset, unlisted })
    expect(list.rules.find(({ rule }: { rule: string }) => rule === program)?.verdict).toBe(verdict)
    for (const [mode, wanted] of Object.entries(unlisted)) {
      const args = ['policy', 'check', '--json', '--mode', mode, '--', 'no-such-program']
      expect(JSON.parse((await home.run(args, { env })).stdout).verdict).toBe(wanted)
    }
  })
})

describe('run', () => {
  it('what is denied does not run: exit code 125, and the reason', async () => {
    home.configure('[policy]\ndeny = ["touch"]\n')
    const ran = await home.run(['run', '--write', '--', 'touch made'])
    const json = await home.run(['run', '--json', '--write', '--', 'touch made'])
    expect(json).toMatchObject({ code: 125, stderr: '' })
    const decision = { verdict: 'deny', matches: expect.any(Array) }
    expect(errorOf(json)).toMatchObject({ code: 'DENIED', decision })
    expect(ran).toMatchObject({ code: 125, stdout: '', stderr: prefixed(String(errorOf(json)['message'])) })
    expect(existsSync(join(home.directory, 'made'))).toBe(false)
    home.configure('')
  })

  it('what is asked about runs without --ask, unless unattended = "deny" without auto_confirm', async () => {
    const env = { VITRINE_POLICY_UNATTENDED: 'deny' }
    const ran = await home.run(['run', '--json', '--write', '--', 'touch refused'], { env })
    expect(ran).toMatchObject({ code: 125, stderr: '' })
    expect(errorOf(ran).code).toBe('NOT_APPROVED')
    expect(existsSync(join(home.directory, 'refused'))).toBe(false)
    const confirming = { ...env, VITRINE_POLICY_AUTO_CONFIRM: 'true' }
    expect((await home.run(['run', '--write', '--', 'true > x'], { env: confirming })).code).toBe(0)
    expect((await home.run(['run', '--write', '--', 'touch allowed'])).code).toBe(0)
    expect(existsSync(join(home.directory, 'allowed'))).toBe(true)
  })
})
