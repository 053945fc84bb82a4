import { expect, it } from 'vitest'
import type { ConfigKey } from '../../src/config/schema.ts'
import { bad, makePlace, unknown, wrong } from './place.ts'

const hosts = 'true, false or a list of hosts: HOST, *.HOST or an address, with :PORT or without'
const host = 'HOST, *.HOST or an address, each with :PORT or without; or true or false in place of the list'
const values: readonly (readonly [variable: string, text: string, key: ConfigKey, value: unknown])[] = [
  ['VITRINE_SHELL_MODE', 'write', 'shell.mode', 'write'],
  ['VITRINE_SHELL_NETWORK', 'true', 'shell.network', true],
  ['VITRINE_SHELL_NETWORK', '1', 'shell.network', true],
  ['VITRINE_SHELL_NETWORK', 'a.example, *.b.example:80', 'shell.network', ['a.example', '*.b.example:80']],
  ['VITRINE_SHELL_SANDBOX', 'false', 'shell.sandbox', false],
  ['VITRINE_SHELL_SANDBOX', '0', 'shell.sandbox', false],
  ['VITRINE_SHELL_TIMEOUT_MS', '5000', 'shell.timeout_ms', 5000],
  ['VITRINE_DOCKER_IMAGE', 'a:1', 'docker.image', 'a:1'],
  ['VITRINE_AUDIT_PATH', '/var/log/a.jsonl', 'audit.path', '/var/log/a.jsonl'],
  ['VITRINE_POLICY_SAFE', 'git status, ls ,,cat', 'policy.safe', ['git status', 'ls', 'cat']],
  ['VITRINE_POLICY_DENY', '', 'policy.deny', []],
  ['VITRINE_POLICY_AUTO_CONFIRM', 'true', 'policy.auto_confirm', true],
  ['VITRINE_SHELL_UNREADABLE', 'secrets,/a', 'shell.unreadable', ['secrets', '/a']],
  ['VITRINE_WORKSPACE_WRITABLE', '/a,/b', 'workspace.writable', ['/a', '/b']],
  ['VITRINE_WORKSPACE_PROTECTED', 'default,deploy', 'workspace.protected', ['default', 'deploy']],
  ['VITRINE_WORKSPACE_PROTECTED', '', 'workspace.protected', []],
  ['VITRINE_ENV_PASS', 'A,B', 'env.pass', ['A', 'B']],
  ['VITRINE_ENV_SET', 'A=1,B=x=y,C=', 'env.set', { A: '1', B: 'x=y', C: '' }],
]

it.each(values)('%s=%s sets %s', async (variable, text, key, value) => {
  const { sources } = await makePlace().load({ env: { [variable]: text } })
  expect(sources[key]).toEqual({ value, source: 'variable', where: variable })
})

const integer = 'an integer from 1 to 2147483647'
const faults: readonly (readonly [variable: string, text: string, key: string, problem: object])[] = [
  ['VITRINE_SHELL_TIMEOUT_MS', '30s', 'shell.timeout_ms', wrong(integer, 'the string "30s"')],
  ['VITRINE_SHELL_TIMEOUT_MS', '', 'shell.timeout_ms', wrong(integer, 'the string ""')],
  ['VITRINE_SHELL_TIMEOUT_MS', '0', 'shell.timeout_ms', bad(integer, 'the number 0')],
  ['VITRINE_SHELL_TIMEOUT_MS', '0x10', 'shell.timeout_ms', wrong(integer, 'the string "0x10"')],
  ['VITRINE_SHELL_NETWORK', 'a b', 'shell.network', bad(host, 'the string "a b"')],
  ['VITRINE_SHELL_NETWORK', '', 'shell.network', wrong(hosts, 'the string ""')],
  ['VITRINE_ENV_SET', 'A', 'env.set', wrong('a table of strings', 'the string "A"')],
  ['VITRINE_SHELL_TIMOUT_MS', '1', 'shell.timout_ms', unknown('VITRINE_SHELL_TIMEOUT_MS')],
  ['VITRINE_SHELL_MAX_BYTES', '1', 'shell.max_bytes', unknown('VITRINE_OUTPUT_MAX_BYTES')],
  ['VITRINE_SHELL_mode', 'write', 'shell.mode', unknown('VITRINE_SHELL_MODE')],
  ['VITRINE_SHEL_TIMEOUT_MS', '1', 'shel.timeout_ms', unknown('VITRINE_SHELL_TIMEOUT_MS')],
  ['VITRINE_LIMIT_MEMORY_BYTES', '1', 'limit.memory_bytes', unknown('VITRINE_LIMITS_MEMORY_BYTES')],
  ['VITRINE_DOCKER_KUBERNETES', '1', 'docker.kubernetes', unknown()],
]

it.each(faults)('%s=%j stops with the variable and the key', async (variable, text, key, problem) => {
  const refusal = await makePlace().refusal({ env: { [variable]: text } })
  expect(refusal).toEqual({ code: 'CONFIG_INVALID', file: variable, key, problem })
})

it('rules cannot be given in a variable', async () => {
  const refusal = await makePlace().refusal({ env: { VITRINE_POLICY_RULE: 'git push' } })
  expect(refusal).toMatchObject({ file: 'VITRINE_POLICY_RULE', key: 'policy.rule' })
})

it('ignores variables whose name begins with no section', async () => {
  const env = { VITRINE_TOKEN: 'x', VITRINE_: '1', VITRINE: '1', VITRINE_SHELL: '1', SHELL_MODE: 'write' }
  const { config } = await makePlace().load({ env })
  expect(config.shell.mode).toBe('read')
})
