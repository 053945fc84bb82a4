import { expect, it } from 'vitest'
import type { Mode } from '../../src/base/types.ts'
import { buildRules, type PolicySettings, type RuleTable } from '../../src/policy/ruleset.ts'
import { decideLine, presetRules, rulesOf, settings } from './helper.ts'

function table(changed: Partial<RuleTable>): RuleTable {
  return { prefix: ['git', 'push'], verdict: 'deny', reason: '', match: [], not_match: [], ...changed }
}

const decided = (line: string, settings: Partial<PolicySettings>, mode: Mode = 'write') =>
  decideLine(line, rulesOf(settings), mode)
const verdict = (...given: Parameters<typeof decided>) => decided(...given).verdict

const test = { allow: ['npm test'] }
const safe = { safe: ['sort', 'git log', 'make lint'] }
const strictest = { allow: ['git push'], ask: ['git'], deny: ['git push --force'] }
const deploy = {
  rule: [
    table({
      prefix: ['deploy'],
      verdict: 'allow',
      allow_options: ['-n', '--dry-run'],
      ask_options: ['--staging'],
      deny_options: ['--production'],
    }),
  ],
}
const unsure = ['[[ -v x && y ]]']

/** What a line of write mode is, or of the mode that the first word says. */
const rows: readonly (readonly [string, settings: Partial<PolicySettings>, lines: readonly string[]])[] = [
  ['allow', { allow: ['npm test', './check.sh'] }, ['npm test', 'npm test -- --watch=false', './check.sh a']],
  ['ask', { allow: ['npm test', './check.sh'] }, ['npm install', 'check.sh a']],
  // Behind what only times a command, limits it, or names a mode of it.
  ['allow', test, ['NODE_ENV=test npm test', 'env NODE_ENV=test npm test', "bash -lc 'npm test'"]],
  ['allow', test, ['time npm test', 'timeout 60 npm test']],
  // The rest of the line.
  ['ask', test, ['npm test; rm x', 'npm test > F', 'npm test $(rm x)', 'npm test &', 'npm test | sh']],
  // What reads may stand beside it only where no argument changes anything.
  ['allow', test, ['cd app && npm test', 'npm test 2>&1 | tail -20', 'npm test | grep -c ok; echo done']],
  ['ask', test, ['npm test | sort', 'find . -delete; npm test', 'npm test && git status']],
  ['ask', test, ['env -P./evil npm test', 'env -C evil npm test', 'timeout -k 1 5 npm test']],
  ['ask', test, ['nice -n 5 npm test', '/usr/bin/time -o F npm test']],
  ['ask', test, ["bash -c -k 'npm test LD_PRELOAD=./evil.so'"]],
  // It replaces the safe list.
  ['held', safe, ['sort x', 'sort -o F x', 'git log -3', 'make lint', 'git log | sort']],
  ['ask', safe, ['git status', 'ls']],
  ['ask', strictest, ['git push']],
  ['deny', strictest, ['ls && git push --force']],
  // A rule that asks does so in write mode; the others hold the command.
  ['ask', { ask: ['ls'] }, ['ls']],
  ['read allow', { ask: ['ls'] }, ['ls']],
  // They ask about nothing, so they hold nothing.
  ['allow', { auto_confirm: true }, ['ls', 'rm x']],
  ['allow', { preset: 'open' }, ['ls', ...unsure]],
  ['deny', { auto_confirm: true, deny: ['rm'] }, ['rm -rf /', 'rm x']],
  // An unsure line is asked about in read mode only where the user has deny rules.
  ['read allow', {}, unsure],
  ['read allow', { ask: ['rm'] }, unsure],
  ['read ask', { deny: ['rm'] }, [...unsure, '$x']],
  ['ask', { preset: 'open', deny: ['rm'] }, unsure],
  ['read deny', { preset: 'analysis' }, unsure],
  ['allow', deploy, ['deploy --dry-run']],
  ['ask', deploy, ['deploy --other', 'deploy --staging']],
  ['deny', deploy, ['deploy --production', 'deploy --produ']],
  ['read deny', deploy, ['deploy --production=x']],
]

it.each(rows)('%s: %j %j', (wanted, settings, lines) => {
  const mode = wanted.startsWith('read ') ? 'read' : 'write'
  for (const line of lines) {
    const { held, verdict } = decided(line, settings, mode)
    expect(held ? 'held' : verdict, line).toBe(wanted.replace('read ', ''))
  }
})

it.each(['NODE_OPTIONS', 'LD_PRELOAD', 'BASH_ENV', 'PATH', 'NODE_PATH', 'npm_config_prefix'])(
  'what a rule allows is asked about with %s',
  (name) => {
    for (const line of [`${name}=x npm test`, `env ${name}=x npm test`, `export ${name}=x; npm test`])
      expect(verdict(line, test), line).toBe('ask')
  },
)

it('a redirect is asked about for its file alone', () => {
  const { matches } = decided('npm test > out.log', test)
  expect(matches.filter(({ verdict }) => verdict !== 'allow')).toMatchObject([{ rule: 'redirect' }])
})

it('nothing is safe by itself where read mode cannot hold it', () => {
  const verdicts = (preset: 'default' | 'analysis') =>
    (['write', 'read'] as const).map(
      (mode) => decideLine('ls', presetRules(preset), mode, { canHold: false }).verdict,
    )
  expect([verdicts('default'), verdicts('analysis')]).toEqual([
    ['ask', 'allow'],
    ['deny', 'allow'],
  ])
})

it('the reason is that of the strictest match', () => {
  const { reason, matches } = decided('ls && git push --force', strictest)
  expect(reason).toContain('git push --force')
  expect(matches.map((match) => match.verdict)).toContain('allow')
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

it('checks the examples of a rule when it loads', () => {
  const file = '/home/agent/config.toml'
  const load = (changed: Partial<RuleTable>) => () =>
    buildRules({ ...settings, rule: [table(changed)] }, () => file)
  load({ match: ['git push', 'git -C x push origin'], not_match: ['git pull', './git push'] })()
  for (const bad of [{ match: ['git pull'] }, { not_match: ['git push origin'] }])
    expect(load(bad)).toThrow(expect.objectContaining({ refusal: expect.objectContaining({ file }) }))
})

it.each(['', 'ls; rm', '$x', 'ls > f', "'unclosed", 'CI=1 npm test'])(
  'refuses an entry that is no plain command: %s',
  (text) => {
    expect(() => rulesOf({ deny: [text] })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  },
)

it.each([
  ['cat < "$f"', 'it is unknown what the redirect < "$f" opens'],
  ['cat > "$f"', 'the redirect > "$f" may write'],
])('the reason of a question names the cause: %s', (line, cause) => {
  expect(decideLine(line, presetRules('default'), 'write').reason).toContain(cause)
})
