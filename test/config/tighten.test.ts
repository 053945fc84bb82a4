import { describe, expect, it } from 'vitest'
import { type Config, type ConfigKey, keyEntries } from '../../src/config/schema.ts'
import type { IgnoredBecause } from '../../src/config/tighten.ts'
import { trust } from '../../src/config/trust.ts'
import { makePlace, type Place } from './place.ts'

/** TOML values: what the user has, what a project may make of it, what it may not. */
interface Case {
  readonly user: string
  readonly taken: readonly string[]
  readonly ignored: readonly string[]
  readonly why?: IgnoredBecause
}

const askRule = '{ prefix = ["a"], verdict = "ask" }'
const denyRule = '{ prefix = ["b"], verdict = "deny" }'
const allowRule = '{ prefix = ["c"], verdict = "allow" }'

const smaller: Case = { user: '100', taken: ['99', '1', '100'], ignored: ['101'] }
const smallerButNotNone: Case = { user: '100', taken: ['99', '1', '100'], ignored: ['101', '0'] }
const neverText = (user: string, other: string): Case => ({
  user,
  taken: [user],
  ignored: [other],
  why: 'needs-trust',
})

const http = {
  instance: ['"a"', '"b"'],
  hosts: ['["a.example"]', '["b.example"]'],
  origins: ['["https://a.example"]', '[]'],
  tokens: ['"/a"', '"/b"'],
  sessions: ['2', '1'],
  idle_ms: ['2', '1'],
  turns: ['2', '1'],
  drain_ms: ['2', '1'],
} satisfies Record<keyof Config['http'], readonly [string, string]>

// Every key of the schema: a key that is missing here, or one too many, does not compile.
const cases: Record<ConfigKey, Case> = {
  'shell.backend': neverText('"docker"', '"local"'),
  'shell.program': neverText('"bash"', '"/bin/zsh"'),
  'shell.sandbox': { user: 'true', taken: ['true'], ignored: ['false'], why: 'needs-trust' },
  'shell.mode': { user: '"write"', taken: ['"read"', '"workspace"', '"write"'], ignored: [] },
  'shell.timeout_ms': smaller,
  'shell.max_timeout_ms': smaller,
  'shell.kill_grace_ms': { ...smaller, taken: ['99', '0'] },
  'shell.network': {
    user: '["a.example", "*.b.example:443"]',
    taken: ['false', '[]', '["a.example:80"]', '["x.b.example:443", "a.example"]', '["*.x.b.example:443"]'],
    ignored: ['true'],
  },
  'shell.own_sockets': { user: 'true', taken: ['false', 'true'], ignored: [] },
  'shell.private_tmp': { user: 'true', taken: ['false', 'true'], ignored: [] },
  'shell.reads': { user: '"everywhere"', taken: ['"workspace"', '"everywhere"'], ignored: [] },
  'shell.unreadable': { user: '["/a"]', taken: ['["/a", "/b"]', '["/a", "secrets"]'], ignored: [] },
  'workspace.writable': { ...neverText('["/a"]', '["/a", "/b"]'), why: 'user-only' },
  'workspace.protected': { user: '["a"]', taken: ['["a", "b"]'], ignored: [] },
  'workspace.on_protected': { ...neverText('"deny"', '"ask"'), why: 'user-only' },
  'workspace.new': { ...neverText('[]', '[".vscode"]'), why: 'user-only' },
  'network.deny': { user: '["a.example"]', taken: ['["a.example", "b.example"]'], ignored: [] },
  'network.ask': { ...neverText('false', 'true'), why: 'user-only' },
  'env.inherit': { user: '"auto"', taken: ['"listed"', '"auto"'], ignored: ['"all"'] },
  'env.pass': neverText('["A"]', '["B"]'),
  'env.set': neverText('{ A = "1" }', '{}'),
  'policy.preset': { user: '"default"', taken: ['"analysis"', '"default"'], ignored: ['"open"'] },
  'policy.pipes': { user: 'true', taken: ['false', 'true'], ignored: [] },
  'policy.allow': neverText('["a"]', '["a", "b"]'),
  'policy.ask': { user: '["a"]', taken: ['["a", "b"]'], ignored: [] },
  'policy.deny': { user: '["a"]', taken: ['["a", "b"]'], ignored: [] },
  'policy.safe': neverText('["a"]', '["a", "b"]'),
  'policy.auto_confirm': { user: 'false', taken: ['false'], ignored: ['true'], why: 'user-only' },
  'policy.unattended': { user: '"allow"', taken: ['"deny"', '"allow"'], ignored: [] },
  'policy.rule': { user: `[${askRule}]`, taken: [`[${askRule}, ${denyRule}]`], ignored: [] },
  'output.inline_max_chars': smaller,
  'output.max_bytes': smallerButNotNone,
  'limits.memory_bytes': smallerButNotNone,
  'limits.cpu_seconds': smallerButNotNone,
  'limits.processes': smallerButNotNone,
  'limits.open_files': smallerButNotNone,
  'limits.private_tmp_bytes': smallerButNotNone,
  'docker.image': neverText('"a"', '"b"'),
  'docker.mounts': { user: '["/a:ro"]', taken: ['["/a:ro"]'], ignored: ['["/b:rw"]'], why: 'user-only' },
  'docker.user': neverText('"1"', '"owner"'),
  'docker.memory': neverText('"2g"', '"1g"'),
  ...(Object.fromEntries(
    Object.entries(http).map(([name, values]) => [
      `http.${name}`,
      { ...neverText(...values), why: 'user-only' },
    ]),
  ) as Record<`http.${keyof typeof http}`, Case>),
  'audit.path': neverText('"/a"', '"/b"'),
  'audit.required': neverText('false', 'true'),
  'audit.max_bytes': neverText('5', '4'),
}

// Keys of two values have one that a project may set and, begun from the other end, one that it may not.
const otherWay: Partial<Record<ConfigKey, Case>> = {
  'shell.sandbox': { user: 'false', taken: ['false'], ignored: ['true'], why: 'needs-trust' },
  'shell.mode': { user: '"workspace"', taken: ['"read"', '"workspace"'], ignored: ['"write"'] },
  'shell.network': { user: 'false', taken: ['false'], ignored: ['true'] },
  'shell.private_tmp': { user: 'false', taken: ['false'], ignored: ['true'] },
  'shell.reads': { user: '"workspace"', taken: ['"workspace"'], ignored: ['"everywhere"'] },
  'policy.preset': { user: '"open"', taken: ['"default"', '"analysis"'], ignored: [] },
  'policy.pipes': { user: 'false', taken: ['false'], ignored: ['true'] },
  'policy.unattended': { user: '"deny"', taken: ['"deny"'], ignored: ['"allow"'] },
  'output.max_bytes': { user: '0', taken: ['0', '99'], ignored: [] },
  'limits.memory_bytes': { user: '0', taken: ['99'], ignored: [] },
}

const table = [...Object.entries(cases), ...Object.entries(otherWay)] as [ConfigKey, Case][]
const rows = (pick: 'taken' | 'ignored') =>
  table.flatMap(([key, item]) =>
    item[pick].map((project) => ({ key, user: item.user, project, why: item.why })),
  )

it('every key of the schema stands in the table', () => {
  expect(Object.keys(cases)).toEqual([...keyEntries.keys()])
})

describe('an untrusted project file', () => {
  it.each(rows('taken'))('may make $key = $user into $project', async ({ key, user, project }) => {
    const place = withFiles(key, user, project)
    const { sources, ignored } = await place.load()
    expect(ignored).toEqual([])
    expect(sources[key].value).toEqual(await valueOfUser(key, project))
  })

  it.each(rows('ignored'))('may not make $key = $user into $project', async ({ key, user, project, why }) => {
    const place = withFiles(key, user, project)
    const { sources, ignored } = await place.load()
    expect(sources[key]).toMatchObject({ value: await valueOfUser(key, user), source: 'user' })
    const given = await valueOfUser(key, project)
    expect(ignored).toMatchObject([
      { key, value: given, file: place.projectFile, line: 3, why: why ?? 'loosens' },
    ])
  })

  it.each(['policy.ask', 'policy.deny', 'shell.unreadable', 'policy.rule'] as const)(
    'may not take an entry away from %s',
    async (key) => {
      const { sources, ignored } = await withFiles(key, cases[key].user, '[]').load()
      expect(sources[key].value).toEqual(await valueOfUser(key, cases[key].user))
      expect(ignored).toEqual([])
    },
  )

  it('may bring rules that ask or deny, but none that allows', async () => {
    const place = withFiles('policy.rule', '[]', `[${denyRule},\n  ${allowRule},\n  ${askRule}]`)
    const { config, ignored } = await place.load()
    expect(config.policy.rule.map(({ prefix }) => prefix)).toEqual([['b'], ['a']])
    expect(ignored).toMatchObject([
      { key: 'policy.rule', value: { prefix: ['c'] }, line: 4, why: 'needs-trust', file: place.projectFile },
    ])
  })

  it('is overruled by a variable and by a flag', async () => {
    const place = withFiles('shell.mode', '"write"', '"read"')
    const variable = await place.load({ env: { VITRINE_SHELL_MODE: 'write' } })
    const flag = await place.load({ flags: { 'shell.mode': { value: 'write', from: '--write' } } })
    expect([variable.config.shell.mode, flag.config.shell.mode]).toEqual(['write', 'write'])
  })
})

describe('a trusted project file', () => {
  const loosened = rows('ignored').filter(({ why }) => why !== 'user-only')

  it.each(loosened)('may make $key = $user into $project', async ({ key, user, project }) => {
    const place = withFiles(key, user, project)
    trust(place.projectFile, {}, place.home)
    const { sources, ignored, files } = await place.load()
    expect(ignored).toEqual([])
    const value = await valueOfUser(key, project)
    expect(sources[key]).toEqual({ value, source: 'project', where: place.projectFile })
    expect(files).toContainEqual({ file: place.projectFile, source: 'project', trusted: true })
  })

  it('still may not set policy.auto_confirm', async () => {
    const place = withFiles('policy.auto_confirm', 'false', 'true')
    trust(place.projectFile, {}, place.home)
    const { config, ignored } = await place.load()
    expect(config.policy.auto_confirm).toBe(false)
    expect(ignored).toMatchObject([{ key: 'policy.auto_confirm', why: 'user-only' }])
  })

  it('adds to the lists of what is asked or denied, and may bring rules that allow', async () => {
    const place = makePlace()
    place.write(place.userFile, '[policy]\ndeny = ["a"]\n')
    place.write(place.projectFile, `[policy]\ndeny = ["b"]\nrule = [${allowRule}]\n`)
    trust(place.projectFile, {}, place.home)
    const { config } = await place.load()
    expect(config.policy.deny).toEqual(['a', 'b'])
    expect(config.policy.rule).toMatchObject([{ prefix: ['c'], verdict: 'allow' }])
  })
})

function withFiles(key: ConfigKey, user: string, project: string): Place {
  const place = makePlace()
  place.write(place.userFile, document(key, user))
  place.write(place.projectFile, `# project\n${document(key, project)}`)
  return place
}

/** What the key's value is when the user's own file says it. */
async function valueOfUser(key: ConfigKey, toml: string): Promise<unknown> {
  const place = makePlace()
  place.write(place.userFile, document(key, toml))
  return (await place.load()).sources[key].value
}

function document(key: ConfigKey, value: string): string {
  const [section, name] = key.split('.')
  return `[${section}]\n${name} = ${value}\n`
}
