import { spawn, spawnSync } from 'node:child_process'
import {
  accessSync,
  chmodSync,
  chownSync,
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
} from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Inherited, Report } from './attack.ts'
import { attacks, everyAttack } from './attacks.ts'
import { buildPrograms, buildRunner } from './build.ts'
import { isAsked } from './judge.ts'
import type { Errand } from './runner.ts'

const library = fileURLToPath(new URL('../../dist/index.js', import.meta.url))

interface User {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** The account that .ci/run makes, else `nobody`, who is everywhere. */
function ordinaryUser(): User {
  const found = spawnSync('id', ['-u', 'vitrine-test'], { encoding: 'utf8' })
  const group = spawnSync('id', ['-g', 'vitrine-test'], { encoding: 'utf8' })
  if (found.status !== 0) return { name: 'nobody', uid: 65534, gid: 65534 }
  return { name: 'vitrine-test', uid: Number(found.stdout), gid: Number(group.stdout) }
}

const current: User = { name: userInfo().username, uid: userInfo().uid, gid: userInfo().gid }
const users = current.uid === 0 ? [current, ordinaryUser()] : [current]

/** Far above what node marks as close-on-exec when it starts (libuv, uv_disable_stdio_inheritance). */
const LEFT_OPEN = { file: 40, directory: 41 } as const

/** A file and a directory of that user's, to be left open in the runner. */
function makeInherited(
  { uid, gid }: User,
  directory: string,
): Inherited & { close(): void; stdio: number[] } {
  const file = join(directory, 'file')
  const inner = join(directory, 'inner')
  mkdirSync(inner)
  const descriptors = [openSync(file, 'w+'), openSync(inner, 'r')] as const
  for (const path of [directory, file, inner]) chownSync(path, uid, gid)
  return {
    descriptor: LEFT_OPEN.file,
    file,
    directoryDescriptor: LEFT_OPEN.directory,
    directory: inner,
    close: () => descriptors.forEach(closeSync),
    stdio: [...descriptors],
  }
}

/** Runs the whole table as that user: the library itself must be that user's. */
async function runTable(user: User, errand: Errand, stdio: number[]): Promise<Map<string, Report>> {
  const slots: ('ignore' | 'pipe' | 'inherit' | number)[] = ['pipe', 'pipe', 'inherit']
  while (slots.length < LEFT_OPEN.file) slots.push('ignore')
  const child = spawn(process.execPath, [buildRunner()], {
    ...(user.uid === current.uid ? {} : { uid: user.uid, gid: user.gid }),
    cwd: '/',
    env: { ...process.env, HOME: '/nonexistent', XDG_CONFIG_HOME: '/nonexistent' },
    stdio: [...slots, ...stdio],
  })
  child.stdin?.end(JSON.stringify(errand))
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  const code = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve))
  if (code !== 0) throw new Error(`the runner ended with ${code} after: ${text.slice(-500)}`)
  const reports = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Report)
  return new Map(reports.map((report) => [report.name, report]))
}

test('the table holds at least 120 attempts, each under a name of its own', () => {
  const names = everyAttack().map(({ name }) => name)
  expect(names.length).toBeGreaterThanOrEqual(120)
  expect(new Set(names).size).toBe(names.length)
  expect(Object.values(attacks).every((rows) => rows.length > 0)).toBe(true)
})

for (const user of users)
  for (const network of [false, true])
    describe.runIf(process.platform === 'linux')(
      `attacks as ${user.name}, network ${network ? 'on' : 'off'}`,
      () => {
        const directory = mkdtempSync(join(tmpdir(), 'vitrine-inherited-'))
        let reports = new Map<string, Report>()

        beforeAll(async () => {
          accessSync(library, constants.R_OK)
          chmodSync(directory, 0o755)
          const { close, stdio, ...inherited } = makeInherited(user, directory)
          try {
            reports = await runTable(user, { library, programs: buildPrograms(), network, inherited }, stdio)
          } finally {
            close()
          }
        }, 600_000)

        afterAll(() => rmSync(directory, { recursive: true, force: true }))

        for (const { name, attack } of everyAttack())
          if (isAsked(network, attack))
            test(name, (context) => {
              const report = reports.get(name)
              if (report?.verdict === 'skipped') context.skip(report.detail)
              expect(report).toMatchObject({ verdict: 'held' })
            })
      },
    )
