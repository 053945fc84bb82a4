import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
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

/** A registry on the loopback that knows one package; its address. */
async function startRegistry(): Promise<string> {
  const document = {
    name: 'known',
    'dist-tags': { latest: '1.2.3' },
    versions: {
      '1.2.3': { name: 'known', version: '1.2.3', dist: { tarball: 'http://127.0.0.1/none.tgz' } },
    },
  }
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/known' ? 200 : 404
    response.end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
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

  it('fossil looks at a repository without settings of its own, and makes none', async (context) => {
    if (!isInstalled('fossil')) return context.skip('not installed: fossil')
    const cwd = makeDirectory()
    const fossil = (...args: string[]) =>
      execFileSync('fossil', args, {
        cwd,
        stdio: 'ignore',
        env: { ...process.env, HOME: cwd, XDG_CONFIG_HOME: undefined, USER: 'me' },
      })
    fossil('init', 'repository.fossil')
    const HOME = makeDirectory()
    const env = { HOME, XDG_CONFIG_HOME: undefined }
    const line = 'fossil timeline -R repository.fossil'
    const without = await (await makeGround({ cwd, env, privateTmp: false })).run(line)
    expect(without.exitCode).not.toBe(0)
    expect(without.hint).toContain(remedies.user.privateTmp)
    const { stdout, exitCode } = await (await makeGround({ cwd, env })).run(line)
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('initial empty check-in'),
    })
    expect(readdirSync(HOME)).toEqual([])
    // Settings that are there stay in use.
    const ground = await makeGround({ cwd, env: { ...env, HOME: cwd } })
    expect((await ground.run('echo "$FOSSIL_HOME"')).stdout).toBe('\n')
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

  it('npm asks a registry, where the network is open', async (context) => {
    if (!isInstalled('npm')) return context.skip('not installed: npm')
    const registry = await startRegistry()
    const line = `npm view known version --registry ${registry}`
    const env = { HOME: makeDirectory() }
    const refused = await makeGround({ env, network: true, privateTmp: false })
    expect((await refused.run(line)).exitCode).toBe(1)
    const { run } = await makeGround({ env, network: true })
    const { stdout, exitCode, denials } = await run(line)
    expect({ stdout, exitCode, denials }).toEqual({ stdout: '1.2.3\n', exitCode: 0, denials: [] })
  })
})
