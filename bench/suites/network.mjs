// What a list of hosts costs: a start, and 1 GiB over HTTP from a server of this machine, straight and through the proxy.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { openShell } from '../../dist/index.js'
import { findProgram, succeeded } from '../lib/commands.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

const gibibyte = 2 ** 30
const suite = '1 GiB from a server, less is better'

/** A program of its own, so that neither side waits for it. */
const server = `
const piece = Buffer.alloc(2 ** 18, 'x')
require('node:http').createServer((_, response) => {
  let left = ${gibibyte}
  const more = () => {
    for (; left > 0; left -= piece.length) if (!response.write(piece)) { left -= piece.length; return response.once('drain', more) }
    response.end()
  }
  response.writeHead(200, { 'content-length': left })
  more()
}).listen(0, '127.0.0.1', function () { console.log(this.address().port) })`

/** @param {{ quick: boolean }} options */
export async function network({ quick }) {
  if (!findProgram('curl')) return [skippedRow(suite, 'a tunnel', 'curl is not installed')]
  const serving = spawn(process.execPath, ['-e', server], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [port] = await once(serving.stdout, 'data')
  const host = `127.0.0.1:${Number(port)}`
  const shells = await Promise.all(
    [true, [host], false].map((network) => openShell({ mode: 'read', network })),
  )
  try {
    return [...(await starts(shells, quick ? 60 : 500)), ...(await measure(host, shells, quick ? 3 : 11))]
  } finally {
    serving.kill()
    await Promise.all(shells.map((shell) => shell.close()))
  }
}

/** @param {import('../../dist/index.js').Shell[]} shells @param {number} rounds */
async function starts([, listed, shut], rounds) {
  /** @param {import('../../dist/index.js').Shell | undefined} shell */
  const run = (shell) => async () => void succeeded(await shell?.execute({ command: ':' }))
  const samples = await interleave(
    { 'no network': run(shut), 'a list of hosts': run(listed) },
    { rounds, warmUp: rounds / 10 },
  )
  return ratioRows('start, network by host', samples, { targets: { 'a list of hosts': 1.05 } })
}

/** @param {string} host @param {import('../../dist/index.js').Shell[]} shells @param {number} rounds */
async function measure(host, [straight, listed], rounds) {
  /** @param {import('../../dist/index.js').Shell | undefined} shell @param {string} [options] */
  const fetched = async (shell, options = '') => {
    const command = `curl -sS ${options} -o /dev/null -w '%{size_download}' http://${host}/`
    const { output } = succeeded(
      await /** @type {import('../../dist/index.js').Shell} */ (shell).execute({ command }),
    )
    if (output !== String(gibibyte)) throw new Error(`bytes are missing: ${output}`)
  }
  const samples = await interleave(
    {
      'without the proxy': () => fetched(straight),
      'in a tunnel': () => fetched(listed, '--proxytunnel'),
      'plain HTTP': () => fetched(listed),
    },
    { rounds, warmUp: 1, lead: 0 },
  )
  // bbr paces on loopback, too: the proxy costs more there than with cubic, the kernel's default.
  const note = `congestion control ${readFileSync('/proc/sys/net/ipv4/tcp_congestion_control', 'utf8').trim()}`
  // 0.7 of the speed without it
  const rows = ratioRows(suite, samples, { targets: { 'in a tunnel': 1.43, 'plain HTTP': 1.43 } })
  return rows.map((row) => ({ ...row, note }))
}
