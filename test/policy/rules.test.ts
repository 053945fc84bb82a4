import { describe, expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { buildRules, type PolicySettings, type RuleTable } from '../../src/policy/ruleset.ts'
import { decideLine, presetRules, rulesOf, settings } from './helper.ts'

function table(changed: Partial<RuleTable>): RuleTable {
  return { prefix: ['git', 'push'], verdict: 'deny', reason: '', match: [], not_match: [], ...changed }
}

const verdict = (line: string, settings: Partial<PolicySettings>, mode: 'read' | 'write' = 'write') =>
  decideLine(line, rulesOf(settings), mode).verdict

describe('rules of the configuration', () => {
  it('allow adds to the safe list, by first words', () => {
    const settings = { allow: ['npm test', './check.sh'] }
    expect(verdict('npm test', settings)).toBe('allow')
    expect(verdict('npm test -- --watch=false', settings)).toBe('allow')
    expect(verdict('npm install', settings)).toBe('ask')
    expect(verdict('./check.sh a', settings)).toBe('allow')
    expect(verdict('check.sh a', settings)).toBe('ask')
    expect(verdict('ls', settings)).toBe('allow')
  })

  it('allow holds behind what only times a command, limits it, or names a mode of it', () => {
    const settings = { allow: ['npm test'] }
    for (const line of [
      'NODE_ENV=test npm test',
      'time npm test',
      'timeout 60 npm test',
      "bash -lc 'npm test'",
      'env NODE_ENV=test npm test',
    ])
      expect(verdict(line, settings), line).toBe('allow')
    for (const name of ['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'PATH', 'NODE_PATH', 'npm_config_prefix'])
      for (const line of [
        `${name}=test npm test`,
        `env ${name}=test npm test`,
        `export ${name}=test; npm test`,
      ])
        expect(verdict(line, settings), line).toBe('ask')
  })

  it('a redirect is asked about for its file alone', () => {
    const { matches } = decideLine('npm test > out.log', rulesOf({ allow: ['npm test'] }), 'write')
    expect(matches.filter(({ verdict }) => verdict !== 'allow')).toMatchObject([{ rule: 'redirect' }])
  })

  it('allow says nothing about the rest of the line', () => {
    const settings = { allow: ['npm test'] }
    for (const line of [
      'npm test; rm x',
      'npm test > F',
      'npm test $(rm x)',
      'npm test &',
      'PATH=. npm test',
      'npm test | sh',
    ])
      expect(verdict(line, settings), line).toBe('ask')
  })

  it('safe replaces the safe list', () => {
    const settings = { safe: ['sort', 'git log', 'make lint'] }
    for (const line of ['sort x', 'sort -o F x', 'git log -3', 'make lint', 'git log | sort'])
      expect(decideLine(line, rulesOf(settings), 'write'), line).toMatchObject({
        verdict: 'allow',
        held: true,
      })
    expect(verdict('git status', settings)).toBe('ask')
    expect(verdict('ls', settings)).toBe('ask')
  })

  it('what reads may stand beside an allowed command only where no argument changes anything', () => {
    const settings = { allow: ['npm test'] }
    for (const line of [
      'cd app && npm test',
      'npm test 2>&1 | tail -20',
      'npm test | grep -c ok; echo done',
    ]) {
      expect(verdict(line, settings), line).toBe('allow')
      expect(decideLine(line, rulesOf(settings), 'write').held, line).toBeUndefined()
    }
    for (const line of ['npm test | sort', 'find . -delete; npm test', 'npm test && git status'])
      expect(verdict(line, settings), line).toBe('ask')
    for (const wrapper of [
      'env -P./evil',
      'env -C evil',
      'timeout -k 1 5',
      'nice -n 5',
      '/usr/bin/time -o F',
    ])
      expect(verdict(`${wrapper} npm test`, settings), wrapper).toBe('ask')
    expect(verdict("bash -c -k 'npm test LD_PRELOAD=./evil.so'", settings)).toBe('ask')
  })

  it('nothing is safe by itself where read mode cannot hold it', () => {
    const verdictOf = (preset: 'default' | 'analysis', mode: 'read' | 'write') =>
      decideLine('ls', presetRules(preset), mode, { canHold: false }).verdict
    expect([verdictOf('default', 'write'), verdictOf('default', 'read')]).toEqual(['ask', 'allow'])
    expect([verdictOf('analysis', 'write'), verdictOf('analysis', 'read')]).toEqual(['deny', 'allow'])
  })

  it('auto_confirm and preset open hold nothing: they ask about nothing', () => {
    for (const settings of [{ auto_confirm: true }, { preset: 'open' as const }]) {
      const decision = decideLine('ls', rulesOf(settings), 'write')
      expect(decision).toMatchObject({ verdict: 'allow' })
      expect(decision.held).toBeUndefined()
    }
  })

  it('the strictest wins, and its reason', () => {
    const settings = { allow: ['git push'], ask: ['git'], deny: ['git push --force'] }
    expect(verdict('git push', settings)).toBe('ask')
    const denied = decideLine(
      'ls && git push --force',
      rulesOf({ ...settings, deny: ['git push --force'] }),
      'write',
    )
    expect(denied).toMatchObject({ verdict: 'deny', reason: expect.stringContaining('git push --force') })
    expect(denied.matches.map((match) => match.verdict)).toContain('allow')
  })

  const hidden = [
    'git push',
    'git -C dir push',
    'git -c a=b push origin',
    'FOO=bar git push',
    '/usr/bin/git push',
    "g\\it 'push'",
    'GIT push',
    'git --no-pager push',
    'ls | (cd x && git push)',
    'echo $(git push)',
    'echo "`git push`"',
    'sudo -u me git push',
    'env A=1 git push',
    'timeout 5 git push',
    'bash -c "git push"',
    "eval 'git push'",
    'echo push | xargs git',
    'git $X',
    '$X push',
    'git -c alias.p=push p',
    '../bin/git push',
    'git {push,x}',
    'trap "git push" EXIT',
    'alias ls="git push"\nls',
    "script -qc 'git push' log",
    'setpriv --reuid 1 git push',
    'sudo --use me git push',
    'env -a x git push',
    'parallel git ::: push',
    'parallel git ::: status push',
    'parallel git {} ::: push',
    "parallel 'git {}' ::: push",
    "parallel ::: ls 'git push'",
    'parallel git :::: list',
    'parallel :::: list',
    'echo push | parallel git',
    'parallel --tagstring {} git ::: push',
    'parallel --tag git ::: push',
    'parallel --semaphorename x --transferfile y git ::: push',
  ]
  for (const line of hidden)
    it(`a deny rule for "git push" does not let through: ${line}`, () => {
      for (const mode of ['read', 'write'] as const)
        expect(decideLine(line, rulesOf({ deny: ['git push'] }), mode).verdict, mode).not.toBe('allow')
    })

  it.each([
    [{ deny: ['git -c'] }, 'git -c a.b=c status'],
    [{ deny: ['git --git-dir'] }, 'git --git-dir=x status'],
    [{ rule: [table({ prefix: ['git'], verdict: 'allow', deny_options: ['-c'] })] }, 'git -c a.b=c status'],
    [{ rule: [table({ prefix: ['git'], verdict: 'ask', deny_options: ['-c'] })] }, 'git -c a.b=c status'],
  ])('sees an option before the subcommand of git: %j', (changed, line) => {
    for (const mode of ['read', 'write'] as const) expect(verdict(line, changed, mode)).toBe('deny')
    expect(verdict('git status', changed, 'read')).toBe('allow')
  })

  it('an unsure line is asked about in read mode only when the user has deny rules', () => {
    expect(verdict('[[ -v x && y ]]', {}, 'read')).toBe('allow')
    expect(verdict('[[ -v x && y ]]', { ask: ['rm'] }, 'read')).toBe('allow')
    expect(verdict('[[ -v x && y ]]', { deny: ['rm'] }, 'read')).toBe('ask')
    expect(verdict('$x', { deny: ['rm'] }, 'read')).toBe('ask')
    expect(verdict('[[ -v x && y ]]', { preset: 'open' })).toBe('allow')
    expect(verdict('[[ -v x && y ]]', { preset: 'open', deny: ['rm'] })).toBe('ask')
    expect(verdict('[[ -v x && y ]]', { preset: 'analysis' }, 'read')).toBe('deny')
  })

  it('asks in write mode, and not in read mode, which holds the command', () => {
    expect(verdict('ls', { ask: ['ls'] })).toBe('ask')
    expect(verdict('ls', { ask: ['ls'] }, 'read')).toBe('allow')
  })

  it('auto_confirm turns ask into allow, never deny', () => {
    expect(verdict('rm x', { auto_confirm: true })).toBe('allow')
    expect(verdict('rm -rf /', { auto_confirm: true })).toBe('deny')
    expect(verdict('rm x', { auto_confirm: true, deny: ['rm'] })).toBe('deny')
  })

  it('a rule names options to ask about and to deny', () => {
    const rule = [
      table({
        prefix: ['deploy'],
        verdict: 'allow',
        allow_options: ['-n', '--dry-run'],
        ask_options: ['--staging'],
        deny_options: ['--production'],
      }),
    ]
    expect(verdict('deploy --dry-run', { rule })).toBe('allow')
    expect(verdict('deploy --other', { rule })).toBe('ask')
    expect(verdict('deploy --staging', { rule })).toBe('ask')
    expect(verdict('deploy --production', { rule })).toBe('deny')
    expect(verdict('deploy --produ', { rule })).toBe('deny')
    expect(verdict('deploy --production=x', { rule }, 'read')).toBe('deny')
  })

  it('says the reason that the rule gives, and where the rule stands', () => {
    const rules = buildRules(
      { ...settings, rule: [table({ reason: 'pushes go through review' })] },
      () => '/home/agent/config.toml',
    )
    const decision = decideLine('git push', rules, 'write')
    expect(decision).toMatchObject({ verdict: 'deny', reason: 'pushes go through review' })
    expect(decision.matches).toContainEqual({
      command: 'git push',
      rule: 'git push',
      source: '/home/agent/config.toml',
      verdict: 'deny',
      why: 'pushes go through review',
    })
  })

  it('checks the examples of a rule when it loads', () => {
    const load = (rule: RuleTable) =>
      buildRules({ ...settings, rule: [rule] }, () => '/home/agent/config.toml')
    expect(() =>
      load(table({ match: ['git push', 'git -C x push origin'], not_match: ['git pull', './git push'] })),
    ).not.toThrow()
    for (const bad of [table({ match: ['git pull'] }), table({ not_match: ['git push origin'] })]) {
      const thrown = caught(() => load(bad))
      expect(thrown.refusal).toMatchObject({ code: 'CONFIG_INVALID', file: '/home/agent/config.toml' })
    }
  })

  it('refuses an entry that is no plain command', () => {
    for (const text of ['', 'ls; rm', '$x', 'ls > f', "'unclosed", 'CI=1 npm test'])
      expect(caught(() => rulesOf({ deny: [text] })).refusal.code).toBe('CONFIG_INVALID')
  })
})

describe('the reason of a question', () => {
  it.each([
    ['cat < "$f"', 'it is unknown what the redirect < "$f" opens'],
    ['cat > "$f"', 'the redirect > "$f" may write'],
  ])('names the cause: %s', (line, cause) => {
    expect(decideLine(line, presetRules('default'), 'write').reason).toContain(cause)
  })
})

function caught(run: () => unknown): VitrineError {
  try {
    run()
  } catch (error) {
    if (error instanceof VitrineError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}
