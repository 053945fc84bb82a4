import { execFileSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { isEngineError } from '../../../src/sandbox/docker/engine.ts'
import type { Shell } from '../../../src/shell.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../helpers/place.ts'
import { aliveWith } from '../../helpers/processes.ts'
import {
  importImage,
  librariesOf,
  missingEngine,
  startIn,
  type TestEngine,
  testImage,
  unmount,
} from './dockerd.ts'

export { importImage, type TestEngine, testImage } from './dockerd.ts'

const running = new Map<TestEngine, string>()

afterAll(async () => {
  for (const [engine, directory] of running) {
    await engine.stop()
    // What an engine that was killed leaves: the shims of its containers.
    for (const pid of aliveWith(`${directory}/`)) process.kill(pid, 'SIGKILL')
    unmount(directory)
    rmSync(directory, { recursive: true, force: true })
  }
  running.clear()
})

/** Tests with an engine of their own; skipped, with the reason, where none starts. */
export function describeEngine(
  name: string,
  tests: (engine: () => TestEngine) => void,
  other?: string,
): void {
  const why = missingEngine() ?? other ?? null
  describe.skipIf(why !== null)(why === null ? name : `${name} (skipped: ${why})`, () => {
    let engine: TestEngine
    beforeAll(async () => {
      engine = await startEngine()
    })
    tests(() => engine)
  })
}

/** Starts an engine and gives it the image. Ended after the file's last test. */
export async function startEngine(): Promise<TestEngine> {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-engine-'))
  const engine = await startIn(directory)
  running.set(engine, directory)
  await importImage(engine.engine, directory, testImage)
  return engine
}

/** Git of this machine, for `[docker] mounts`: its programs, and the directories of its libraries. */
export function gitMounts(): string[] {
  const [programs = ''] = execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).split('\n')
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  const libraries = librariesOf(realpathSync(git)).map(dirname)
  return [git, programs, ...new Set(libraries)].map((path) => `${path}:ro`)
}

/** The configuration of shells that run in containers of the test's image. */
export function dockerToml(more = ''): string {
  return `[docker]\nimage = "${testImage}"\n${more}`
}

/** Opens a shell whose commands run in containers; its directory is an empty one. `toml` follows the table [docker]. */
export function openDockerShell({ host }: TestEngine, options: TestShellOptions = {}): Promise<Shell> {
  return openTestShell({
    cwd: makeDirectory(),
    backend: 'docker',
    ...options,
    toml: dockerToml(options.toml),
    env: { DOCKER_HOST: host, ...options.env },
  })
}

/** What the engine says of a container. */
export interface Listed {
  readonly Id: string
  readonly State: string
  readonly Labels: Readonly<Record<string, string>>
}

/** All containers of an engine, or those of one workspace. */
export async function containersOf({ engine }: TestEngine, workspace?: string): Promise<readonly Listed[]> {
  const list = { method: 'GET', path: '/containers/json', query: { all: 'true' } } as const
  const all = await engine.call<readonly Listed[]>(list)
  return all.filter(({ Labels }) => workspace === undefined || Labels['vitrine.workspace'] === workspace)
}

/** Starts a container of the test's image that is none of a shell's; removed when its test has finished. */
export async function startContainer(engine: TestEngine, name: string, body: object): Promise<string> {
  const create = { method: 'POST', path: '/containers/create', query: { name } } as const
  const { Id } = await engine.engine.call<Listed>({ ...create, body: { Image: testImage, ...body } })
  onTestFinished(() => remove(engine, `/containers/${Id}`))
  await engine.engine.call({ method: 'POST', path: `/containers/${Id}/start` })
  return Id
}

/** What a call is refused with that no container can run; `got`: a part of what is named. */
export const unavailable = (got: string) => ({
  code: 'SANDBOX_UNAVAILABLE',
  refusal: { for: 'docker', got: expect.stringContaining(got) },
})

/** Removes an image; one that was never made counts as removed. */
export async function removeImage(engine: TestEngine, image: string): Promise<void> {
  await remove(engine, `/images/${image}`)
}

async function remove({ engine }: TestEngine, path: string): Promise<void> {
  await engine.call({ method: 'DELETE', path, query: { force: 'true' } }).catch((error: unknown) => {
    if (!isEngineError(error) || error.status !== 404) throw error
  })
}

/** Resolves when it holds; throws after ten seconds. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string): Promise<void> {
  for (let tries = 0; !(await holds()); tries++) {
    if (tries > 100) throw new Error(`not within ten seconds: ${what}`)
    await sleep(100)
  }
}

/** The processes that sleep for that time, a marker: those of containers are seen from outside. */
export function sleepers(marker: string): number[] {
  return aliveWith(`sleep\0${marker}`)
}
