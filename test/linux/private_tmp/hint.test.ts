import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { denialText } from '../../../src/messages/denials.ts'
import { remedies } from '../../../src/messages/hints.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { makeGround } from './ground.ts'

const { privateTmp, write } = remedies.user

/** A directory that every user may write to, and that hints do not take for one for temporary files. */
function makeElsewhere(): string {
  const directory = mkdtempSync('/dev/shm/vitrine-hint-')
  onTestFinished(() => rmSync(directory, { recursive: true }))
  return directory
}

describe('the hint of a refusal', () => {
  it('names private_tmp where the file was a temporary one', async () => {
    const { run, temporary } = await makeGround({ privateTmp: false })
    for (const path of [join(temporary, 'new'), '/tmp/vitrine-hint-new', '/var/tmp/vitrine-hint-new']) {
      const { hint, denials } = await run(`echo x > ${path}`)
      expect(denials).toMatchObject([{ operation: 'create', path }])
      expect(hint).toContain(`${denials.map(denialText).join()}; ${privateTmp}`)
      expect(hint).toContain(write)
    }
  })

  it('names TMPDIR where the command has one of its own', async () => {
    const { run } = await makeGround()
    const { hint } = await run('echo x > /tmp/vitrine-hint-new')
    expect(hint).toContain('$TMPDIR')
    expect(hint).not.toContain(privateTmp)
  })

  it('says that what is in it stays there, and does not send there what is there already', async () => {
    const { run, temporary } = await makeGround()
    const { hint, denials } = await run(`touch "$TMPDIR/made"; mv "$TMPDIR/made" '${temporary}/made'`)
    expect(denials[0]?.operation).toBe('rename')
    expect(hint).toContain('$TMPDIR')
    expect(hint).not.toBe((await run('echo x > /tmp/vitrine-hint-new')).hint)
    expect((await run('touch "$TMPDIR/a"; chmod 4755 "$TMPDIR/a"')).hint).not.toContain('$TMPDIR')
  })

  it('does not where the file is one of those that the command works on', async () => {
    const { shell } = await makeGround({ privateTmp: false })
    const { hint } = await shell.execute({ command: 'echo x > new', cwd: makeDirectory() })
    expect(hint).toContain(write)
    expect(hint).not.toContain(privateTmp)
  })

  it('takes what lies about the working directory for no temporary file, wherever that is', async () => {
    const cwd = makeDirectory()
    const { run } = await makeGround({ privateTmp: false, cwd })
    expect((await run('echo x > new')).hint).not.toContain(privateTmp)
    expect((await run('echo x > /tmp/vitrine-hint-new')).hint).toContain(privateTmp)
  })

  it('is about what the command complains of, not about what it did without', async () => {
    const { run } = await makeGround({ privateTmp: false })
    const place = makeElsewhere()
    const { hint } = await run(`touch '${place}/a' '${place}/b' 2>/dev/null; touch '${place}/c'`)
    expect(hint).toContain(`${place}/c`)
    for (const name of ['a', 'b']) expect(hint).not.toContain(`${place}/${name}`)
  })

  it('is about temporary files where the command complains of them without a name', async () => {
    const { run } = await makeGround({ privateTmp: false })
    const line =
      'touch /vitrine-a /tmp/vitrine-b 2>/dev/null; echo "no place for temporary files" >&2; exit 1'
    expect((await run(line)).hint).toContain(`/tmp/vitrine-b; ${privateTmp}`)
  })

  it('says so where the command ended well', async () => {
    const { run } = await makeGround({ privateTmp: false })
    const { hint } = await run('touch /tmp/vitrine-hint-new; true')
    const { hint: failed } = await run('touch /tmp/vitrine-hint-new')
    for (const said of [hint, failed]) expect(said).toContain(privateTmp)
    expect(hint).not.toBe(failed)
  })

  it('says how SQLite reads a database whose log it would have to make', async (context) => {
    if (!isInstalled('sqlite3')) return context.skip('not installed: sqlite3')
    const cwd = makeDirectory()
    const make = ['a.db', 'pragma journal_mode=wal; create table t(x); insert into t values (5)']
    execFileSync('sqlite3', make, { cwd })
    const { run } = await makeGround({ privateTmp: false, cwd })
    const { hint, exitCode } = await run("sqlite3 a.db 'select * from t'")
    const [, file] = /'(file:.*immutable=1)'/.exec(hint ?? '') ?? []
    expect({ exitCode, file }).not.toMatchObject({ exitCode: 0 })
    expect((await run(`sqlite3 '${file}' 'select * from t'`)).stdout).toBe('5\n')
  })

  it('says how git compares where Git LFS has to write', async (context) => {
    if (!isInstalled('git-lfs')) return context.skip('not installed: git-lfs')
    const cwd = makeDirectory()
    const identity = '-c user.name=a -c user.email=a@b'
    const make = `git init -q && git lfs install --local && git lfs track '*.big' && echo x > a.big && git add . && git ${identity} commit -qm m && echo y > a.big`
    execFileSync('sh', ['-c', make], { cwd, stdio: 'ignore', env: { ...process.env, HOME: cwd } })
    const { run } = await makeGround({ privateTmp: false, cwd, env: { HOME: cwd } })
    const [, options] = /with (-c .*=false);/.exec((await run('git diff --stat')).hint ?? '') ?? []
    expect((await run(`git ${options} diff --stat`)).stdout).toContain('a.big')
  })

  it('says how gpg looks at its keyrings', async (context) => {
    if (!isInstalled('gpg')) return context.skip('not installed: gpg')
    const cwd = makeDirectory()
    execFileSync('gpg', ['-q', '--homedir', cwd, '--list-keys'], { stdio: 'ignore' })
    const { run } = await makeGround({ privateTmp: false, cwd })
    const listing = await run('gpg -q --homedir . --list-keys')
    expect(listing).toMatchObject({ exitCode: 2, hint: expect.stringContaining('--lock-never') })
    expect((await run('gpg -q --homedir . --lock-never --list-keys')).exitCode).toBe(0)
  })

  it('says how npm gets a cache where the network is shut', async (context) => {
    if (!isInstalled('npm')) return context.skip('not installed: npm')
    const cwd = makeDirectory()
    writeFileSync(join(cwd, 'package.json'), '{ "name": "one", "version": "1.0.0" }')
    mkdirSync(join(cwd, '.npm/_cacache/tmp'), { recursive: true })
    const { run } = await makeGround({ cwd, env: { HOME: cwd } })
    const { exitCode, hint } = await run('npm pack --dry-run')
    expect({ exitCode, hint }).toMatchObject({
      hint: expect.stringContaining('npm_config_cache=$TMPDIR/npm'),
    })
    expect(exitCode).not.toBe(0)
    expect((await run('npm_config_cache=$TMPDIR/npm npm pack --dry-run')).exitCode).toBe(0)
  })

  it('says that services cannot be talked to', async (context) => {
    if (!isInstalled('python3')) return context.skip('not installed: python3')
    const { run } = await makeGround({ network: true })
    const { hint } = await run("python3 -c 'import socket; socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)'")
    expect(hint).toContain('Docker')
    expect(hint).toContain(write)
  })

  it('does not where other files were refused too', async () => {
    const { run } = await makeGround({ privateTmp: false })
    const { hint } = await run(`echo x > '${makeElsewhere()}/hint'; echo x > /tmp/vitrine-hint`)
    expect(hint).not.toContain(privateTmp)
    const file = join(makeDirectory(), 'file')
    writeFileSync(file, 'kept')
    const { denials } = await run(`chmod 600 ${file}`)
    expect(denials).toMatchObject([{ operation: 'metadata', path: file }])
  })
})
