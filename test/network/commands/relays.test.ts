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

/**
 * A host that fetches from itself in a tunnel, 16 MiB, or more until a relay carries it: a client that reads slowly gets one late.
 * Its server first uses up the descriptors, if it shall.
 */
const fetching = `
const { openSync, closeSync, readdirSync, readFileSync } = require('node:fs')
const [library, cwd, without] = process.argv.slice(1)
const open = []
let sent = 0
function useUp() {
  try { for (;;) open.push(openSync('/dev/null')) } catch (error) { if (error.code !== 'EMFILE') throw error }
}
/** Threads of the host give some back meanwhile. */
function keepUsedUp() {
  useUp()
  return setInterval(useUp, 1)
}
function hasRelay() {
  const threads = readdirSync('/proc/self/task').map((id) => readFileSync('/proc/self/task/' + id + '/comm', 'utf8').trim())
  return threads.includes('vitrine-relay')
}
function send(socket) {
  const isDone = () => sent >= ${16 * mebibyte} && (without === 'descriptors' || hasRelay() || sent >= 2 ** 32)
  const more = () => {
    for (const piece = Buffer.alloc(${mebibyte}); !isDone(); ) {
      sent += piece.length
      if (!socket.write(piece)) return socket.once('drain', more)
    }
    socket.end()
  }
  more()
}
const server = require('node:net').createServer((socket) => socket.once('data', () => {
  const keeping = without === 'descriptors' ? keepUsedUp() : undefined
  socket.write('HTTP/1.0 200 OK\\r\\n\\r\\n')
  send(socket)
  socket.once('close', () => {
    clearInterval(keeping)
    for (const fd of open) closeSync(fd)
  })
}))
server.listen(0, '127.0.0.1', async () => {
  const host = '127.0.0.1:' + server.address().port
  const { openShell } = await import(library)
  const shell = await openShell({ mode: 'read', network: [host], cwd })
  const { stdout } = await shell.execute({
    command: "curl -sSp -o /dev/null -w '%{size_download}' http://" + host,
    timeoutMs: 120000,
  })
  const isCarried = without === 'nothing' && hasRelay()
  await shell.close()
  server.close()
  console.log(JSON.stringify({ isWhole: Number(stdout) === sent, isFull: open.length > 0, isCarried }))
})`

async function fetched(without: 'nothing' | 'descriptors'): Promise<unknown> {
  const args = ['--nofile=200:200', process.execPath, '-e', fetching, builtLibrary, makeDirectory(), without]
  return JSON.parse((await promisify(execFile)('prlimit', args)).stdout)
}

const why = listsRefused ?? (isInstalled('curl') && isInstalled('prlimit') ? null : 'no curl or prlimit')

describe.skipIf(why !== null)('a large tunnel of a command (needs curl, prlimit)', () => {
  it('is carried in native code, and without descriptors by JavaScript', async () => {
    expect(await fetched('nothing')).toEqual({ isWhole: true, isFull: false, isCarried: true })
    // The thread may have begun: for itself it needs one descriptor, for a tunnel six.
    expect(await fetched('descriptors')).toMatchObject({ isWhole: true, isFull: true })
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
