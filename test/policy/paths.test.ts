import { execFileSync } from 'node:child_process'
import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Decision, Mode } from '../../src/base/types.ts'
import { gatherFacts } from '../../src/facts/gather.ts'
import { Lookup } from '../../src/facts/lookup.ts'
import { pathLookupHere } from '../../src/host/host.ts'
import { decide } from '../../src/policy/decide/decide.ts'
import { factsNeeded, planRequest } from '../../src/policy/decide/plan.ts'
import type { RuleSet } from '../../src/policy/decide/ruleset.ts'
import { buildRules } from '../../src/policy/decide/ruleset.ts'
import { makeDirectory } from '../helpers/place.ts'
import { Random } from './fuzz/random.ts'
import { presetRules, rulesOf, settings } from './helper.ts'

/** A busy machine is no file system that hangs. */
const patientMs = 20_000
let root = ''
let workspace = ''

beforeAll(() => {
  root = makeDirectory()
  workspace = join(root, 'work')
  for (const directory of ['work/src/deep', 'outside/secret', 'workshop', 'home'])
    mkdirSync(join(root, directory), { recursive: true })
  for (const file of ['work/a.txt', 'work/src/b.txt', 'outside/c.txt', 'workshop/d.txt', 'home/e.txt'])
    writeFileSync(join(root, file), 'x\n')
  symlinkSync('/etc', join(workspace, 'etclink'))
  symlinkSync(join(root, 'outside'), join(workspace, 'out'))
  symlinkSync('../../outside/c.txt', join(workspace, 'src', 'c.txt'))
  symlinkSync('src/deep', join(workspace, 'in'))
  symlinkSync(join(root, 'outside', 'new'), join(workspace, 'toNew'))
  symlinkSync('../../outside', join(workspace, 'src', 'é'))
  mkdirSync(join(workspace, 'odd'))
  mkdirSync(join(workspace, 'a:'))
  symlinkSync(join(root, 'outside'), Buffer.concat([Buffer.from(`${workspace}/odd/`), Buffer.of(0xff)]))
  symlinkSync(workspace, join(root, 'alias'))
})
async function decideHere(
  line: string,
  rules: RuleSet,
  options: { mode?: Mode; cwd?: string; bound?: boolean } = {},
): Promise<Decision> {
  const { mode = 'write', cwd = workspace, bound = true } = options
  const request = planRequest({ work: { kind: 'line', line }, mode, cwd, home: join(root, 'home') })
  const around = {
    workspace: bound ? workspace : '',
    ownPaths: [join(root, 'home', '.config')],
    programPath: '',
    projects: [],
  }
  const facts = await gatherFacts(factsNeeded(request), around, new Lookup(await pathLookupHere(), patientMs))
  return decide(request, rules, facts)
}

describe('the workspace', () => {
  const inside = [
    'cat a.txt',
    'cat ./src/../a.txt',
    'cat src/b.txt',
    'ls .',
    'ls src',
    'ls in',
    'cat *.txt',
    'ls src/b*',
    'ls src/b?txt',
    'cd in/.. && ls',
    'cd src && cat ../a.txt',
    'cd src && cd deep && ls ../..',
    'grep -rn "/api/users" src',
    "rg '^/root' .",
    "sed -n '/foo/p' a.txt",
    "awk '/x/ {print}' a.txt",
    'echo /etc/passwd',
    "git log -S'/etc' --format=%h",
    'find . -name "*.txt" -path "./src/*"',
    'cat a.txt 2>/dev/null',
    'ls >/dev/null 2>&1',
    "jq --arg x ../outside/c.txt --rawfile y a.txt '.' a.txt",
    'echo *.txt',
    'for f in *.txt; do echo "$f"; done',
    'echo https://example.com/a/../b',
  ]
  for (const line of inside)
    it(`lets commands stay inside: ${line}`, async () => {
      const decision = await decideHere(line, presetRules('default'))
      expect(decision.verdict, decision.reason).toBe('allow')
    })

  const leaving = [
    'cat ../outside/c.txt',
    'cat ../workshop/d.txt',
    'ls ..',
    'ls src/../../outside',
    'cat /etc/hostname',
    'cat ~/e.txt',
    'ls ~',
    'cat out/c.txt',
    'cat src/c.txt',
    'ls etclink',
    'cat etclink/hostname',
    'ls out/*',
    'cat out/../outside/c.txt',
    'cat in/../../../outside/c.txt',
    'cat src/*.txt',
    'cat */c.txt',
    'cd .. && ls',
    'cd .. && cat outside/c.txt',
    'cd out && cat c.txt',
    'cd out; cat c.txt',
    '(cd .. ; cat outside/c.txt)',
    'git -C .. log',
    'git -C out status',
    'git diff --no-index a.txt ../outside/c.txt',
    'grep -f ../outside/c.txt a.txt',
    'grep --file=../outside/c.txt a.txt',
    'cp a.txt ../outside/x',
    'cp a.txt /tmp/x',
    'tar -C/tmp -xf a.tar',
    'tar --directory=/tmp -xf a.tar',
    'dd if=a.txt of=/tmp/x',
    'echo x > ../outside/x',
    'echo x > out/x',
    'cat "../outside/c.txt"',
    "cat '..'/outside/c.txt",
    'cat .\\./outside/c.txt',
    'npm --prefix .. test',
    'sudo cat ../outside/c.txt',
    "sh -c 'cat ../outside/c.txt'",
    'echo $(cat ../outside/c.txt)',
    'find .. -name x',
    'find . -newer ../outside/c.txt',
    'cp a.txt toNew',
    'cp a.txt toNew/x',
    'cat src/??/c.txt',
    'mkdir m && cat m/../out/c.txt',
    'cd in/../.. && cat a.txt',
    'cd in/.. && cat ../outside/c.txt',
    "jq --rawfile x ../outside/c.txt '.' a.txt",
    "jq --slurpfile x /etc/hostname '.' a.txt",
    "jq --slurpfile x out/c.txt '.' a.txt",
    'sort --files0-from=../outside/c.txt',
    'wc --files0-from ../outside/c.txt',
    'du --files0-from=/etc/hostname',
    'echo ../outside/*',
    'echo /root/*',
    String.raw`echo \/root/*`,
    String.raw`cat \/root/*`,
    String.raw`cat \.\./outside/*`,
    "printf '%s' /etc/*",
    'ls -I /etc/*',
    'grep /etc/host* a.txt',
    'for f in ../outside/*; do echo "$f"; done',
    'x=../outside/*; echo $x',
    'who /etc/hostname',
    'users ../outside/c.txt',
    'curl -d @../outside/c.txt https://example.com',
    'curl -d @/etc/hostname https://example.com',
    'curl -d@/etc/hostname https://example.com',
    'curl --data-binary=@/etc/hostname https://example.com',
    'curl --data-urlencode x@/etc/hostname https://example.com',
    'curl -F x=@../outside/c.txt https://example.com',
    'curl -F x=@a.txt,../outside/c.txt https://example.com',
    "curl -F 'x=@/etc/hostname;type=text/plain' https://example.com",
    "curl -F 'x=<../outside/c.txt' https://example.com",
    'curl file:///etc/hostname',
    'curl FILE://localhost/etc/hostname',
    'curl file:///%65tc/hostname',
    'curl file:/etc/hostname',
    'wget -i file:///etc/hostname',
    'cat a://../../outside/c.txt',
    'ls a://../..',
  ]
  for (const line of leaving)
    it(`refuses to leave it: ${line}`, async () => {
      expect((await decideHere(line, presetRules('default'))).verdict).toBe('deny')
      expect((await decideHere(line, presetRules('open'))).verdict).toBe('deny')
    })

  it('asks where a file of the command names further files, or a variable holds a pattern', async () => {
    for (const line of ['sort --files0-from=a.txt', 'wc --files0-from a.txt', "x='/root/*'; echo $x"])
      expect((await decideHere(line, presetRules('default'))).verdict, line).toBe('ask')
  })

  it('is not left by a URL that names no directory', async () => {
    const rules = rulesOf({ allow: ['curl'] })
    for (const url of [
      'https://example.com/a/../b',
      'https://example.com/?next=/etc/x@/etc/y',
      'git@example.com:/x',
    ])
      expect((await decideHere(`curl ${url}`, rules)).verdict, url).toBe('allow')
  })

  it('names the path and the root', async () => {
    const { reason } = await decideHere('cat out/c.txt', presetRules('default'))
    expect(reason).toContain(join(root, 'outside', 'c.txt'))
    expect(reason).toContain(workspace)
  })

  it('is not left by words in which the shell finds no names', async () => {
    for (const line of ['echo $?', 'echo "$X/*"', String.raw`echo $X\*`, 'echo ~other', 'find'])
      expect((await decideHere(line, presetRules('default'))).verdict, line).toBe('allow')
  })

  it('asks where a path is only known when it runs', async () => {
    const lines = [
      'cat "$X"',
      'cat $X',
      'cat {a,b}.txt',
      'cat ~other/x',
      'cat ~other/*',
      'echo ~other/*',
      'echo $HOME/*',
      'for f in $HOME/*; do echo "$f"; done',
      'x=$HOME/*; echo $x',
      'echo $PWD/../outside/*',
      "bash -c 'echo {/etc/*,x}'",
      'cd "$X" && cat a.txt',
      'cat odd/*/c.txt',
    ]
    for (const line of lines)
      expect((await decideHere(line, presetRules('default'))).verdict, line).toBe('ask')
  })

  it('holds the current directory, after links', async () => {
    expect(
      (await decideHere('ls', presetRules('default'), { cwd: join(root, 'alias', 'src') })).verdict,
    ).toBe('allow')
    expect((await decideHere('ls', presetRules('default'), { cwd: root })).verdict).toBe('deny')
    expect((await decideHere('ls', presetRules('default'), { cwd: join(workspace, 'out') })).verdict).toBe(
      'deny',
    )
    expect((await decideHere('ls', presetRules('default'), { cwd: join(root, 'workshop') })).verdict).toBe(
      'deny',
    )
  })

  it('binds read mode only when reads are bound', async () => {
    const reading = buildRules(settings, { workspaceInReadMode: true })
    expect((await decideHere('cat /etc/hostname', presetRules('default'), { mode: 'read' })).verdict).toBe(
      'allow',
    )
    expect((await decideHere('cat /etc/hostname', reading, { mode: 'read' })).verdict).toBe('deny')
    expect((await decideHere('cat a.txt', reading, { mode: 'read' })).verdict).toBe('allow')
  })

  it('is not opened by a rule of the user or by auto_confirm', async () => {
    const rules = rulesOf({ allow: ['cat', 'cp'], auto_confirm: true })
    expect((await decideHere('cat ../outside/c.txt', rules)).verdict).toBe('deny')
    expect((await decideHere('cp a.txt /tmp/x', rules)).verdict).toBe('deny')
  })

  it('is left by no path that is made of parts, whatever the parts', async () => {
    const random = new Random(11)
    const parts = [
      '..',
      '.',
      'src',
      'deep',
      'in',
      'out',
      'c.txt',
      'a.txt',
      '',
      'missing',
      'etclink',
      'alias',
      'work',
      'outside',
    ]
    let refused = 0
    for (let round = 0; round < 3_000; round++) {
      const start = random.pick(['', '', './', '../', '/', `${workspace}/`, `${root}/`])
      const path = `${start}${Array.from({ length: 1 + random.below(5) }, () => random.pick(parts)).join('/')}`
      const { verdict } = await decideHere(`cat '${path}'`, presetRules('default'))
      const real = whereItLeads(path)
      if (real !== undefined && real !== workspace && !real.startsWith(`${workspace}/`)) {
        refused += 1
        expect(verdict, path).toBe('deny')
      } else if (real !== undefined) expect(verdict, path).toBe('allow')
    }
    expect(refused).toBeGreaterThan(150)
  })
})

/** What the kernel makes of a path, asked from outside; undefined when nothing is there. */
function whereItLeads(path: string): string | undefined {
  try {
    return realpathSync.native(path.startsWith('/') ? path : `${workspace}/${path}`)
  } catch {
    return undefined
  }
}

describe('system paths in analysis', () => {
  const refused = [
    'cat etclink/passwd',
    'cat etclink',
    'cat etcl*/passwd',
    'ls e*',
    'cat */passwd',
    'cat src/../etclink/passwd',
    'cat ../work/etclink/passwd',
    'cat /etc/./passwd',
    'cat /usr/../etc/passwd',
    `cat ${'../'.repeat(20)}etc/passwd`,
    'cat /proc/self/environ',
    'ls /proc/self/root/etc',
    'cat "/etc"/passwd',
    'head -c 10 /etc/passwd',
    'cat -- /etc/passwd',
    'grep -r root -- /etc',
    'diff a.txt /etc/passwd',
    'cat a.txt /etc/passwd',
    'stat /root',
    'cat /ETC/passwd',
    'find . /etc -name x',
    'env cat /etc/passwd',
    'xargs cat /etc/passwd',
    'find . -exec cat /etc/passwd ;',
    'python3 /etc/x.py',
    'python3 --opt=/etc/x.py',
    'git -C /etc log',
    'git --no-pager diff --no-index /etc/passwd a.txt',
  ]
  for (const line of refused)
    it(`are refused as arguments: ${line}`, async () => {
      expect((await decideHere(line, presetRules('analysis'), { mode: 'read', bound: false })).verdict).toBe(
        'deny',
      )
    })

  for (const line of [
    'cat a.txt',
    'ls *.txt',
    'cat src/*',
    'cat /usr/share/x',
    'grep etc a.txt',
    "grep '/etc/' a.txt",
    'ls /',
    'cat ../outside/c.txt',
  ])
    it(`leave others alone: ${line}`, async () => {
      expect((await decideHere(line, presetRules('analysis'), { mode: 'read', bound: false })).verdict).toBe(
        'allow',
      )
    })
})

describe('globs that become options', () => {
  it('are asked about as soon as a name begins with a dash', async () => {
    const directory = join(root, 'dashes')
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory)
    writeFileSync(join(directory, 'a.txt'), 'x\n')
    const rules = presetRules('default')
    const lines = ['sort *', 'sort *.txt', 'rg x *', 'find *', 'cd . && sort *']
    for (const line of lines)
      expect((await decideHere(line, rules, { cwd: directory, bound: false })).verdict, line).toBe('allow')
    execFileSync('touch', ['--', '-oF.txt'], { cwd: directory })
    for (const line of lines)
      expect((await decideHere(line, rules, { cwd: directory, bound: false })).verdict, line).toBe('ask')
    for (const line of ['sort ./*', 'sort -- *', 'cat *', 'ls *'])
      expect((await decideHere(line, rules, { cwd: directory, bound: false })).verdict, line).toBe('allow')
    expect((await decideHere('cd dashes && sort *', rules, { cwd: root, bound: false })).verdict).toBe('ask')
    expect((await decideHere('cd dashes; sort *', rules, { cwd: root, bound: false })).verdict).toBe('ask')
  })
})

describe('a glob in a directory above the own configuration', () => {
  it.each([
    ['rm -rf .tox-*', 'ask'],
    ['rm -rf e*', 'ask'],
    ['mv b* x', 'ask'],
    ['rm -rf .c*', 'deny'],
    ['rm -rf .[!.]*', 'deny'],
    ['mv .conf?? x', 'deny'],
    ['rm .config/*', 'deny'],
    ['rm -rf ../*', 'deny'],
    ['rm -rf ../h*/', 'deny'],
  ])('%s: %s, by what it matches', async (line, verdict) => {
    const home = join(root, 'home')
    mkdirSync(join(home, '.config'), { recursive: true })
    expect(await decideHere(line, presetRules('default'), { cwd: home, bound: false })).toMatchObject({
      verdict,
    })
  })
})
