import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fetched } from '../../../fixtures/suites/suites.mjs'
import { makeDirectory, openTestShell } from '../../../helpers/place.ts'
import { noWorld } from './world.ts'

const fetching = 'scripts/fetch-suites.mjs'
const modules = join(fetched, 'node_modules')

interface Tool {
  readonly name: string
  /** A file of it, and what brings it. */
  readonly file: string
  readonly needs: string
  readonly files: Readonly<Record<string, string>>
  readonly line: string
  readonly says: string
}

/** tsx asks its own server, on a unix socket, in each process. */
const twice = `
import { spawnSync } from 'node:child_process'
const twice = (n: number): number => n * 2
const child = (): string => spawnSync('tsx', ['twice.ts', 'child'], { encoding: 'utf8' }).stdout.trim()
console.log(twice(21), process.argv[2] ?? child())
`

const pong = `
import Fastify from 'fastify'
const app = Fastify().get('/', async () => ({ pong: true }))
console.log((await app.inject('/')).body)
const address = await app.listen({ port: 0, host: '127.0.0.1' })
console.log(await (await fetch(address)).text())
await app.close()
`

/** The page changes when the browser is told so over a websocket. */
const reloading = `
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'vite'
import WebSocket from 'ws'
const root = mkdtempSync(join(tmpdir(), 'vite-'))
const write = (name, text) => writeFileSync(join(root, name), text)
write('index.html', '<script type="module" src="/main.js"></script>')
write('main.js', 'import { n } from "./part.js"; import.meta.hot?.accept("./part.js", () => {}); console.log(n)')
write('part.js', 'export const n = 1')
const server = await createServer({
  root, configFile: false, logLevel: 'error', cacheDir: join(root, '.vite'),
  optimizeDeps: { noDiscovery: true }, server: { port: 0, host: '127.0.0.1' },
})
await server.listen()
const at = '127.0.0.1:' + server.httpServer.address().port
for (const path of ['/', '/main.js', '/part.js']) await (await fetch('http://' + at + path)).text()
const browser = new WebSocket('ws://' + at + '/?token=' + server.config.webSocketToken, 'vite-hmr')
browser.on('message', async (data) => {
  const { type, updates } = JSON.parse(String(data))
  if (type === 'connected') write('part.js', 'export const n = 2')
  if (type !== 'update') return
  console.log(type, updates[0].acceptedPath)
  browser.close()
  await server.close()
  process.exit()
})
`

const tools: readonly Tool[] = [
  {
    name: 'tsx, in a program and its child',
    file: join(modules, 'tsx/dist/cli.mjs'),
    needs: fetching,
    files: { 'twice.ts': twice },
    line: 'tsx twice.ts',
    says: '42 42 child\n',
  },
  {
    name: 'fastify, by inject and by listen',
    file: join(modules, 'fastify/fastify.js'),
    needs: fetching,
    files: { 'pong.mjs': pong },
    line: 'node pong.mjs',
    says: '{"pong":true}\n'.repeat(2),
  },
  {
    name: "vite's development server, which reloads a module",
    file: join(modules, 'vite/package.json'),
    needs: fetching,
    files: { 'reloading.mjs': reloading },
    line: 'node reloading.mjs',
    says: 'update /part.js\n',
  },
  {
    name: 'nx, with its daemon',
    file: join(modules, 'nx/bin/nx.js'),
    needs: fetching,
    files: {
      'nx.json': '{ "useDaemonProcess": true, "analytics": false }',
      'one/project.json': '{ "name": "one", "targets": { "say": { "command": "echo said" } } }',
    },
    line: `export CI=false NX_DAEMON=true NX_CACHE_DIRECTORY="$TMPDIR/cache" NX_WORKSPACE_DATA_DIRECTORY="$TMPDIR/data"
nx run one:say 2>&1 | grep -x said; grep -o 'Handled RECORD_TASK_RUNS' "$TMPDIR/data/d/daemon.log"; nx daemon --stop >/dev/null 2>&1`,
    says: 'said\nHandled RECORD_TASK_RUNS\n',
  },
  {
    name: 'pytest-xdist, with two workers',
    file: '/usr/lib/python3/dist-packages/xdist/plugin.py',
    needs: 'python3-pytest-xdist',
    files: {
      'test_workers.py': `
import os, pytest
@pytest.mark.parametrize('number', range(20))
def test_worker(number): assert os.environ['PYTEST_XDIST_WORKER'] in ('gw0', 'gw1')
`,
    },
    line: '/usr/bin/python3 -m pytest -q -p no:cacheprovider -n 2 | grep -o "[0-9]* passed"',
    says: '20 passed\n',
  },
]

function prepare({ files }: Tool): string {
  const place = makeDirectory()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true })
    writeFileSync(join(place, name), text)
  }
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }')
  symlinkSync(modules, join(place, 'node_modules'))
  return place
}

const path = `PATH="${dirname(process.execPath)}:$PWD/node_modules/.bin:$PATH"\n`

describe.skipIf(noWorld)('in workspace and read mode runs as outside', () => {
  for (const tool of tools)
    it.skipIf(!existsSync(tool.file))(`${tool.name} (needs ${tool.needs})`, async () => {
      const cwd = prepare(tool)
      const command = path + tool.line
      const env = { ...process.env, TMPDIR: makeDirectory(), NODE_TEST_CONTEXT: undefined }
      const outside = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8', timeout: 60_000 })
      expect(outside).toMatchObject({ stdout: tool.says, status: 0 })
      for (const mode of ['workspace', 'read'] as const) {
        const shell = await openTestShell({ mode, cwd, privateTmp: true })
        const result = await shell.execute({ command, timeoutMs: 60_000 })
        expect(result, mode).toMatchObject({ stdout: tool.says, exitCode: 0 })
      }
    })
})
