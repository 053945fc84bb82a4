import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { denialText } from '../../../src/messages/result.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { makeGround } from './ground.ts'

const { privateTmp, write } = remedies.user

describe('the hint of a refusal', () => {
  it('names private_tmp where the file was a temporary one', async () => {
    const { run, temporary } = await makeGround({ privateTmp: false })
    for (const path of [join(temporary, 'new'), '/tmp/vitrine-hint-new', '/var/tmp/vitrine-hint-new']) {
      const { hint, denials } = await run(`echo x > ${path}`)
      expect(denials).toMatchObject([{ operation: 'create', path }])
      expect(hint).toContain(
        `${denials.map(denialText).join()}; for temporary files and caches, ${privateTmp}`,
      )
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
})
