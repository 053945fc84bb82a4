import { execFile } from 'node:child_process'
import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { makeDirectory } from '../../helpers/place.ts'
import { waitFor } from '../../helpers/processes.ts'
import { builtLibrary, isInstalled } from '../../helpers/programs.ts'
import { tcpServer } from '../surroundings.ts'
import { flood, mebibyte } from '../tunnels.ts'
import { listsRefused } from './surroundings.ts'

/** A host that fetches from itself in a tunnel. Its server first uses up the descriptors, if it shall. */
const fetching = `
const { openSync, closeSync, readdirSync, readFileSync } = require('node:fs')
const [library, cwd, without] = process.argv.slice(1)
const open = []
function useUp() {
  try { for (;;) open.push(openSync('/dev/null')) } catch (error) { if (error.code !== 'EMFILE') throw error }
}
const server = require('node:net').createServer((socket) => socket.once('data', () => {
  if (without === 'descriptors') useUp()
  socket.write('HTTP/1.0 200 OK\\r\\n\\r\\n')
  socket.end(Buffer.alloc(${16 * mebibyte}))
  socket.once('close', () => { for (const fd of open) closeSync(fd) })
}))
server.listen(0, '127.0.0.1', async () => {
  const host = '127.0.0.1:' + server.address().port
  const { openShell } = await import(library)
  const shell = await openShell({ mode: 'read', network: [host], cwd })
  const { stdout } = await shell.execute({ command: "curl -sSp -o /dev/null -w '%{size_download}' http://" + host })
  const threads = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim())
  await shell.close()
  server.close()
  console.log(JSON.stringify([Number(stdout), open.length > 0, threads.includes('vitrine-relay')]))
})`

async function fetched(without: 'nothing' | 'descriptors'): Promise<unknown> {
  const args = ['--nofile=200:200', process.execPath, '-e', fetching, builtLibrary, makeDirectory(), without]
  return JSON.parse((await promisify(execFile)('prlimit', args)).stdout)
}

const why = listsRefused ?? (isInstalled('curl') && isInstalled('prlimit') ? null : 'no curl or prlimit')

describe.skipIf(why !== null)('a large tunnel of a command (needs curl, prlimit)', () => {
  it('is carried in native code, and without descriptors by JavaScript', async () => {
    expect(await fetched('nothing')).toEqual([16 * mebibyte, false, true])
    expect(await fetched('descriptors')).toEqual([16 * mebibyte, true, false])
  })

  it('ends with the worker thread of its shell', async () => {
    let upstream: Socket | undefined
    const port = await tcpServer((socket) => {
      upstream = socket
      socket.once('data', () => flood(socket))
    })
    const text = `
      const { workerData: { library, cwd, host } } = require('node:worker_threads')
      import(library).then(async ({ openShell }) => {
        const shell = await openShell({ mode: 'read', network: [host], cwd })
        await shell.execute({ command: 'curl -sSp --http0.9 -o /dev/null http://' + host })
      })`
    const workerData = { library: builtLibrary, cwd: makeDirectory(), host: `127.0.0.1:${port}` }
    const worker = new Worker(text, { eval: true, workerData })
    expect(await waitFor(() => (upstream?.bytesWritten ?? 0) > 64 * mebibyte)).toBe(true)
    await worker.terminate()
    expect(await waitFor(() => upstream?.destroyed === true)).toBe(true)
  })
})
