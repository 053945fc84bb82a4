import { execFileSync } from 'node:child_process'
import { accessSync, constants, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tried } from '../../../src/base/errno.ts'
import { hintBehind } from '../../../src/base/hint.ts'
import type { Result } from '../../../src/base/types.ts'
import { afterFile } from '../../helpers/clean-up.ts'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'

const workspace = makeDirectory()
const kernelFile = '/proc/sys/kernel/core_pattern'
/** Containers mount it read-only. */
const isKernelWritable = tried(() => accessSync(kernelFile, constants.W_OK) === undefined) === true
/** A directory that lies above no home, wherever that is. */
const elsewhere = mkdtempSync('/var/tmp/vitrine-hints-')
afterFile(() => rmSync(elsewhere, { recursive: true }))
const outside = join(elsewhere, 'file')
execFileSync('git', ['init', '-q', workspace])
mkdirSync(join(workspace, '.github/workflows'), { recursive: true })

async function run(command: string, mode: 'read' | 'workspace' = 'workspace'): Promise<Result> {
  const shell = await openTestShell({ cwd: workspace, mode })
  return shell.execute({ command })
}

function remedyOf(result: Result) {
  const hint = hintBehind(result)
  expect(result.hint).toBe(hint?.sentence)
  return hint?.remedy
}

describe('the hint of a refusal in workspace mode', () => {
  it('names an entry of [workspace] writable for a change outside', async () => {
    const result = await run(`echo x > ${outside}`)
    expect(existsSync(outside)).toBe(false)
    expect(remedyOf(result)).toMatchObject({ kind: 'writable' })
    expect(result.hint).toContain(`${elsewhere} to [workspace] writable`)
    expect(result.denials[0]).not.toHaveProperty('protected')
  })

  it.each(['.npm/_cacache', '.cache/pip', 'go/pkg/mod'])(
    'names the whole cache %s, not a directory of it',
    async (name) => {
      const cache = join(makeDirectory(), name)
      mkdirSync(join(cache, 'index/ff'), { recursive: true })
      const result = await run(`mkdir ${cache}/index/ff/cd`)
      expect(remedyOf(result)).toMatchObject({ kind: 'writable' })
      expect(result.hint).toContain(`add ${cache} to`)
    },
  )

  it.runIf(isInstalled('cargo')).each([true, false])(
    'says nothing of what cargo can do without, where its home exists: %s',
    async (exists) => {
      const [crate, home] = [join(makeDirectory(), 'crate'), join(makeDirectory(), '.cargo')]
      mkdirSync(join(crate, 'src'), { recursive: true })
      writeFileSync(join(crate, 'Cargo.toml'), '[package]\nname = "app"\nversion = "0.1.0"\n[workspace]\n')
      writeFileSync(join(crate, 'src/lib.rs'), '')
      if (exists) mkdirSync(home)
      const shell = await openTestShell({ cwd: crate, mode: 'workspace', env: { CARGO_HOME: home } })
      const result = await shell.execute({ command: 'cargo check -q --offline' })
      expect(result).toMatchObject({ exitCode: 0, stderr: '' })
      expect(result.hint).toBeUndefined()
    },
  )

  // An ordinary user's own permissions refuse both, which is not reported.
  it.runIf(process.getuid?.() === 0)(
    'names such an entry only if the configuration may have it',
    async () => {
      for (const path of ['/vitrine-hints', ...(isKernelWritable ? [kernelFile] : [])])
        expect(remedyOf(await run(`test -e ${path} && exec 3>>${path}; mkdir ${path}`))).not.toMatchObject({
          kind: 'writable',
        })
      expect(existsSync('/vitrine-hints')).toBe(false)
    },
  )

  const datagram = "python3 -c 'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)"
  it.each([
    ['network', `${datagram}.sendto(b"x", ("127.0.0.1", 9))'`],
    ['network', `${datagram}.connect(("127.0.0.1", 9))'`],
    ['network', `${datagram}.bind(("", 9999))'`],
    ['write', 'touch own && chmod u+s own'],
  ])('names the way to what only that opens: %s, %s', async (kind, line) => {
    const result = await run(line)
    expect(remedyOf(result)).toMatchObject({ kind })
    expect(result.denials[0]).not.toHaveProperty('protected')
  })

  it.each([
    ['rename', 'git config a.b c', '.git/config'],
    ['create', 'echo x > .vscode', '.vscode', 'new'],
    ['create', 'echo x > .github/workflows/x.yml', '.github/workflows/x.yml'],
    ['rename', 'mv .git moved', '.git'],
    ['rename', 'mkdir made; mv made .claude', '.claude', 'new'],
    ['metadata', 'chmod 700 .github/workflows', '.github/workflows'],
    ['link', 'ln .git/config other', 'other'],
  ])('says that a path is protected: %s, %s', async (operation, line, name, kind = 'protected') => {
    const result = await run(line)
    const path = join(workspace, name)
    expect(result.denials).toMatchObject([{ operation, path, protected: true }])
    expect(remedyOf(result)?.kind).toBe(kind)
    if (kind === 'new') expect(result.hint).toContain(`add "${name}" to [workspace] new`)
    rmSync(join(workspace, 'made'), { recursive: true, force: true })
  })
})

describe('the hint of a refusal in read mode', () => {
  it.each([
    ['echo x > new', 'workspace'],
    ['git config a.b c', 'write'],
    ['echo x > .envrc', 'write'],
    ['mv .git moved', 'write'],
    [`echo x > ${outside}`, 'write'],
  ])('%s: %s mode', async (line, kind) => {
    expect(remedyOf(await run(line, 'read'))).toMatchObject({ kind })
  })

  it('does not name workspace mode where it is refused', async () => {
    const shell = await openTestShell({ cwd: workspace, env: { HOME: workspace } })
    const result = await shell.execute({ command: 'echo x > new' })
    expect(remedyOf(result)).toMatchObject({ kind: 'write' })
  })
})
