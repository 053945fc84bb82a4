import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openShellOn } from '../../../src/shell.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { addonless, probing } from '../../sandbox/hosts.ts'
import { makeGround, uid } from './ground.ts'

describe('a private directory', () => {
  it('is empty, the command alone can enter it, and it is gone before the result comes', async () => {
    const { run, left, parent, temporary } = await makeGround()
    const { stdout, exitCode } = await run(
      'stat -c "%a %u" "$TMPDIR" "$TMPDIR/../.."; ls -A "$TMPDIR"; echo x > "$TMPDIR/x"; cat "$TMPDIR/x"; echo "$TMPDIR"',
    )
    const [status, above, text, path = ''] = stdout.split('\n')
    const own = `700 ${uid}`
    expect({ status, above, text, exitCode }).toEqual({ status: own, above: own, text: 'x', exitCode: 0 })
    expect(path.startsWith(`${parent}/`)).toBe(true)
    expect(left()).toEqual([])
    expect(readdirSync(temporary)).toEqual([])
  })

  it('is where every program looks for it, whatever the configuration says of TMPDIR', async () => {
    const toml = '[env]\nset = { TMPDIR = "/nowhere", TMP = "/nowhere" }\npass = ["TEMP"]\n'
    const { run, parent } = await makeGround({ toml, env: { TEMP: '/nowhere' } })
    const { stdout } = await run('echo "$TMPDIR"; echo "$TMP"; echo "$TEMP"; echo "$TMPPREFIX"')
    const [directory = '', ...others] = stdout.trimEnd().split('\n')
    expect(directory.startsWith(`${parent}/`)).toBe(true)
    expect(others).toEqual([directory, directory, `${directory}/zsh`])
  })

  it('is given to the one command that asks for it, and not to one that does without', async () => {
    const line = 'echo x >"$TMPDIR/x" && cat "$TMPDIR/x"'
    const without = await makeGround({ privateTmp: false })
    const asked = await without.shell.execute({ command: line, privateTmp: true })
    expect({ stdout: asked.stdout, held: asked.enforcement['private tmp']?.enforced }).toEqual({
      stdout: 'x\n',
      held: true,
    })
    const other = await without.run(line)
    expect(other.exitCode).not.toBe(0)
    expect(other.enforcement['private tmp']).toBeUndefined()
    expect(readdirSync(without.temporary)).not.toContain('x')
    const { shell } = await makeGround()
    expect((await shell.execute({ command: line, privateTmp: false })).exitCode).not.toBe(0)
    expect((await shell.execute({ command: line })).stdout).toBe('x\n')
  })

  it.for([0, 2])('of another command can be read, but not written to, after %i others', async (others) => {
    const { run, parent, left, shell } = await makeGround()
    for (let turn = 0; turn < others; turn++) expect((await run('echo x > "$TMPDIR/x"')).exitCode).toBe(0)
    const other = run('echo kept > "$TMPDIR/file"; sleep 60')
    await waitFor(() => left().some((name) => existsSync(join(parent, name, 'tmp/file'))))
    const file = join(parent, left()[0] ?? '', 'tmp/file')
    const line = `cat ${file}; echo x > ${file}; echo x > ${file}2; chmod 600 ${file}; rm -f ${file}; mv ${file} "$TMPDIR"; true`
    const { stdout, denials } = await run(line)
    expect(stdout).toBe('kept\n')
    expect(readFileSync(file, 'utf8')).toBe('kept\n')
    expect(denials.map(({ operation }) => operation)).toEqual([
      'write',
      'create',
      'metadata',
      'delete',
      'rename',
    ])
    await shell.close()
    expect((await other).cancelled).toBe(true)
  })

  it('can be neither removed nor moved nor hold a device, and that is told', async () => {
    const { run, parent } = await makeGround()
    const { stdout, denials } = await run(
      'rmdir "$TMPDIR"; mv "$TMPDIR" "$TMPDIR.moved"; mknod "$TMPDIR/null" c 1 3; mkdir "$TMPDIR/sub" && rmdir "$TMPDIR/sub" && ls -A "$TMPDIR" && echo held',
    )
    expect(stdout).toBe('held\n')
    const told = denials.map(({ operation, path = '', count }) => [
      operation,
      path.replace(parent, ''),
      count,
    ])
    const own = told[0]?.[1]
    expect(own).toMatch(/^\/[0-9a-f]{32}\/tmp$/)
    expect(told).toEqual([
      ['delete', own, 1],
      ['rename', own, 1],
      ['create', `${own}/null`, 1],
    ])
  })

  it.runIf(isInstalled('git'))(
    'takes a clone, whose hard links to what stands outside are no refusals to be told',
    async () => {
      const { run } = await makeGround()
      const outside = makeDirectory()
      const git = (...args: string[]) => execFileSync('git', ['-C', outside, ...args])
      git('init', '-q')
      git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-q', '--allow-empty', '-m', 'one')
      const { stdout, denials } = await run(
        // Without an identity git looks the name of the machine up, which may take the network.
        `git -c user.name=a -c user.email=a@b.example clone -q ${outside} "$TMPDIR/clone" && git -C "$TMPDIR/clone" log --format=%s`,
      )
      expect({ stdout, denials }).toEqual({ stdout: 'one\n', denials: [] })
    },
  )
})

describe('removing a private directory', () => {
  const trees: readonly (readonly [what: string, line: string])[] = [
    [
      'names that are not UTF-8, or nothing but odd',
      `python3 -c 'import os\nfor n in (b"\\xff\\xfe", b"\\n", b" ", b"-rf", b"vitrine-0", b"\\\\"):\n os.mkdir(n); open(n+b"/"+n,"w")\n os.makedirs(n+b"/vitrine-1/"+n)'`,
    ],
    ['links to what is elsewhere', 'ln -s "$OUTSIDE" link; mkdir d; ln -s "$OUTSIDE" d/link'],
    ['FIFOs and modes of nothing', 'mkdir -p a/b; : > a/b/c; umask 777; mkfifo f; mkdir a/d; : > a/b/e'],
    ['a thousand files', 'i=0; while [ $i -lt 1000 ]; do : > $i; i=$((i+1)); done'],
    [
      'a tree deeper than any path',
      `python3 -c 'import os
for i in range(500): os.mkdir("d"*20); os.chdir("d"*20)
open("end","w")'`,
    ],
  ]

  it.for(trees)('copes with %s', async ([, line], { skip }) => {
    if (line.startsWith('python3') && !isInstalled('python3')) return skip('python3 is not installed')
    const outside = makeDirectory()
    writeFileSync(join(outside, 'file'), 'kept')
    const { run, left } = await makeGround({ toml: `[env]\nset = { OUTSIDE = "${outside}" }\n` })
    const result = await run(`cd "$TMPDIR" && ${line}`)
    expect({ code: result.exitCode, stderr: result.stderr }).toEqual({ code: 0, stderr: '' })
    expect(left()).toEqual([])
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept')
    expect(result.enforcement['private tmp']?.enforced).toBe(true)
  })

  it('happens when the command never ran, and when it was ended', async () => {
    const { shell, left } = await makeGround()
    await expect(shell.execute({ argv: ['/no/such/program'] })).rejects.toThrow(/no\/such\/program/)
    expect(left()).toEqual([])
    const { timedOut } = await shell.execute({
      command: 'echo x > "$TMPDIR/x"; sleep 60 & sleep 60',
      timeoutMs: 300,
    })
    expect({ timedOut, left: left() }).toEqual({ timedOut: true, left: [] })
  })

  it('leaves the event loop alone', async () => {
    const { shell, left } = await makeGround()
    const alone = { ticks: 0, over: false }
    const tick = () => {
      alone.ticks++
      if (!alone.over) setImmediate(tick)
    }
    const command = 'cd "$TMPDIR"; seq 2000 | xargs touch 2>/dev/null; echo done'
    await shell.execute({ command, timeoutMs: 60_000 }, { onOutput: tick })
    alone.over = true
    expect(alone.ticks).toBeGreaterThan(100)
    expect(left()).toEqual([])
  })
})

describe('a place that cannot be trusted', () => {
  const own = (temporary: string) => join(temporary, `vitrine-${uid}`)
  const untrusted: readonly (readonly [what: string, told: string, make: (temporary: string) => void])[] = [
    ['a link in the place of the directory', 'TMPDIR', (at) => symlinkSync(makeDirectory(), own(at))],
    ['a directory that others can enter', 'chmod 700', (at) => mkdirSync(own(at), { mode: 0o755 })],
    ['a temporary directory that all can change', 'chmod +t', (at) => chmodSync(at, 0o777)],
    ['one that a group and more can change', 'chmod +t', (at) => chmodSync(at, 0o775)],
    ['one that a group can change', 'chmod +t', (at) => chmodSync(at, 0o770)],
    ['one that is not there', 'ENOENT', (at) => rmdirSync(at)],
  ]
  const ofAnother: typeof untrusted = [
    ["another user's", 'vitrine-0', (at) => execFileSync('install', ['-dm', '700', '-o', '65534', own(at)])],
    ["another user's temporary directory", 'vitrine-test-', (at) => chownSync(at, 12345, 12345)],
    [
      'that with the sticky bit',
      'vitrine-test-',
      (at) => execFileSync('sh', ['-c', 'chown 12345 "$0" && chmod 1777 "$0"', at]),
    ],
  ]

  it.for([...untrusted, ...(uid === 0 ? ofAnother : [])])('%s is refused', async ([, told, make]) => {
    const temporary = makeDirectory()
    make(temporary)
    const look = () => spawnSync('find', ['-L', temporary], { encoding: 'utf8' }).stdout
    const before = look()
    const { run } = await makeGround({}, temporary)
    const error = await run('echo ran').catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    expect(error.refusal.got + error.refusal.remedy).toContain(told)
    expect(look()).toBe(before)
  })

  it('a temporary directory that all can change is used where it has the sticky bit', async () => {
    const temporary = makeDirectory()
    chmodSync(temporary, 0o1777)
    expect((await (await makeGround({}, temporary)).run('echo x > "$TMPDIR/x"')).exitCode).toBe(0)
  })
})

describe('where there are no private directories', () => {
  it('private_tmp is refused when the shell opens, and nothing runs', async () => {
    const options = { mode: 'read', privateTmp: true, cwd: makeDirectory() } as const
    await expect(openShellOn(addonless(), options)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' })
    await expect(openShellOn(addonless('windows'), options)).rejects.toMatchObject({
      code: 'SANDBOX_UNAVAILABLE',
    })
  })

  it.for([1, 2, 3, 5])('Landlock ABI %i holds it, and refuses in it what it says', async (landlockAbi) => {
    const { run, shell } = await makeGround({ host: probing({ landlockAbi }) })
    const line =
      'mkdir a b && echo x > a/f && mv a/f a/g && ln a/g a/h && chmod 600 a/g && : > a/g && rm -r b'
    expect((await run(`cd "$TMPDIR" && ${line}`)).exitCode).toBe(0)
    const outside = makeDirectory()
    await run(`echo x > ${outside}/new; mkdir ${outside}/d; chmod 700 ${outside}`)
    expect(readdirSync(outside)).toEqual([])
    if (!isInstalled('python3')) return
    const fails = async (text: string) =>
      (await run(`cd "$TMPDIR" && python3 -c 'import os\n${text}'`)).exitCode !== 0
    const across = await fails('os.mkdir("a"); open("f","w"); os.rename("f", "a/f")')
    const truncate = await fails('open("f","w"); os.truncate("f", 3)')
    expect({ across, truncate }).toEqual({ across: landlockAbi < 2, truncate: landlockAbi < 3 })
    expect(shell.enforcement['private tmp']?.note?.includes('truncate(2)') ?? false).toBe(truncate)
  })
})
