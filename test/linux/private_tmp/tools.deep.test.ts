import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { remedies } from '../../../src/messages/hints.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { cannotBorrow } from '../../helpers/surroundings.ts'
import { makeGround } from './ground.ts'

/** A directory with these files. */
function makeProject(files: Readonly<Record<string, string>>): string {
  const directory = makeDirectory()
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), content)
  }
  return directory
}

describe('in a private tmp', { timeout: 90_000 }, () => {
  it('cargo checks, builds and runs, and the project stays as it is', async (context) => {
    const reason = isInstalled('cargo') ? cannotBorrow() : 'not installed: cargo'
    if (reason) return context.skip(reason)
    const cwd = makeProject({
      'Cargo.toml': '[package]\nname = "one"\nversion = "1.0.0"\nedition = "2021"\n',
      'src/main.rs': 'fn main() { println!("it runs") }\n',
    })
    execFileSync('cargo', ['generate-lockfile', '--offline'], { cwd, stdio: 'ignore' })
    const refused = await makeGround({ cwd, privateTmp: false })
    expect((await refused.run('cargo check --offline')).hint).toContain(remedies.user.privateTmp)
    const { run } = await makeGround({ cwd })
    const { stdout, exitCode } = await run('cargo check --offline && cargo run --offline --locked')
    expect({ stdout, exitCode }).toEqual({ stdout: 'it runs\n', exitCode: 0 })
    expect(readdirSync(cwd).sort()).toEqual(['Cargo.lock', 'Cargo.toml', 'src'])
  })

  it('go lists, vets, tests and builds without a cache of its own', async (context) => {
    if (!isInstalled('go')) return context.skip('not installed: go')
    const cwd = makeProject({
      'go.mod': 'module example.com/one\n\ngo 1.19\n',
      'main.go': 'package main\n\nfunc main() { println("it runs") }\n',
      'main_test.go': 'package main\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {}\n',
    })
    const env = { HOME: makeDirectory(), GOCACHE: undefined, XDG_CACHE_HOME: undefined }
    const refused = await makeGround({ cwd, env, privateTmp: false })
    expect((await refused.run('go list ./...')).hint).toContain(remedies.user.privateTmp)
    const { run } = await makeGround({ cwd, env })
    const { output, exitCode } = await run('go list -test ./... && go vet ./... && go test ./... && go run .')
    expect(output).toMatch(/^example.com\/one\n.*ok\s+example.com\/one.*it runs\n$/s)
    expect(exitCode).toBe(0)
  })
})
