import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { makeDirectory, openTestShell, type TestShellOptions } from '../../../helpers/place.ts'
import { isExecutable, isInstalled } from '../../../helpers/repository.ts'
import { ownWorldMissing } from '../../../helpers/surroundings.ts'

/** Whether commands have no sockets of their own here. */
export const noWorld = process.platform !== 'linux' || ownWorldMissing() !== null

/** Debian's own: another user may not be able to start the one in PATH. */
export const python = '/usr/bin/python3'
export const noPython = noWorld || !isExecutable(python)
export const noPython3 = noWorld || !isInstalled('python3')

export function fixture(name: string): string {
  return fileURLToPath(new URL(`../../../fixtures/world/${name}`, import.meta.url))
}

export async function openWorld(options: Partial<TestShellOptions> = {}) {
  const workspace = makeDirectory()
  execFileSync('git', ['init', '-q', workspace])
  return openTestShell({ cwd: workspace, mode: 'workspace', ...options })
}

/** A service of this machine, at a host or a path, until the test ends. The answer to a client that was refused would be lost. */
export async function serve(at: string): Promise<{ port: number; clients: () => number }> {
  let clients = 0
  const server = createServer((socket) => {
    clients += 1
    socket.on('error', () => {}).end('pong')
  }).listen(at.startsWith('/') ? { path: at } : { port: 0, host: at })
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  return { port: (server.address() as AddressInfo).port, clients: () => clients }
}
