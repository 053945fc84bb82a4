// What a list of hosts costs a start.
import { openShell } from '../../dist/index.js'
import { succeeded } from '../lib/commands.mjs'
import { ratioRows } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

/** @param {{ quick: boolean }} options */
export async function network({ quick }) {
  const shells = await Promise.all(
    [['127.0.0.1:1'], false].map((network) => openShell({ mode: 'read', network })),
  )
  try {
    return await starts(shells, quick ? 60 : 500)
  } finally {
    await Promise.all(shells.map((shell) => shell.close()))
  }
}

/** @param {import('../../dist/index.js').Shell[]} shells @param {number} rounds */
async function starts([listed, shut], rounds) {
  /** @param {import('../../dist/index.js').Shell | undefined} shell */
  const run = (shell) => async () => void succeeded(await shell?.execute({ command: ':' }))
  const samples = await interleave(
    { 'no network': run(shut), 'a list of hosts': run(listed) },
    { rounds, warmUp: rounds / 10 },
  )
  return ratioRows('start, network by host', samples, { targets: { 'a list of hosts': 1.05 } })
}
