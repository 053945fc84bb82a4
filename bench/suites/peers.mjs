// Starting a command under the sandboxes of others, where they are installed.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { findProgram, plain, succeeded, told } from '../lib/commands.mjs'
import {
  codexProgram,
  packaged,
  policyFile,
  sandboxRuntimeProgram,
  withCodexHome,
  writeSandboxRuntimeSettings,
} from '../lib/peers.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const suite = 'start, under other sandboxes'

/**
 * How a peer runs a shell line so that it can read everything and write nothing.
 * @typedef {{ name: string, prefix: string[], env?: Record<string, string>, line?: (line: string) => string[] }} Peer
 */

/** @param {{ quick: boolean }} options */
export function peers({ quick }) {
  return withShells(({ read, directory }) =>
    withCodexHome(async (codexHome) => {
      const found = await sorted(candidates(directory, codexHome), directory)
      const samples = await interleave(
        {
          'child_process.spawn': () => plain('sh', ['-c', ':']).then(() => {}),
          'vitrine, read mode': () =>
            read
              .execute({ command: ':' })
              .then(succeeded)
              .then(() => {}),
          ...Object.fromEntries(found.usable.map((peer) => [peer.name, () => run(peer, ':').then(() => {})])),
        },
        { rounds: quick ? 8 : 40, warmUp: 2 },
      )
      return [...ratioRows(suite, samples), ...found.skipped]
    }),
  )
}

/** @param {string} directory @param {string} codexHome @returns {(Peer | { name: string, missing: string })[]} */
function candidates(directory, codexHome) {
  const bwrap = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--unshare-all',
    '--die-with-parent',
  ]
  return [
    installed('bwrap', findProgram('bwrap'), bwrap),
    installed('firejail', findProgram('firejail'), ['--quiet', '--noprofile', '--read-only=/', '--net=none']),
    installed('landstrip', packaged(`@landstrip/landstrip-linux-${process.arch}`, 'bin/landstrip'), [
      'run',
      '--policy',
      policyFile(join(directory, 'landstrip.json'), { filesystem: { allowWrite: [] } }),
      '--',
    ]),
    sandboxRuntime(directory),
    { ...installed('codex sandbox', codexProgram(), ['sandbox', '--']), env: { CODEX_HOME: codexHome } },
  ]
}

/** @param {string} name @param {string | undefined} program @param {string[]} args */
function installed(name, program, args) {
  return program ? { name, prefix: [program, ...args] } : { name, missing: 'not installed' }
}

/** @param {string} directory */
function sandboxRuntime(directory) {
  const cli = sandboxRuntimeProgram()
  const settings = writeSandboxRuntimeSettings(join(directory, 'srt.json'), [])
  const peer = installed('sandbox-runtime', cli && process.execPath, [cli ?? '', '--settings', settings])
  return { ...peer, line: (/** @type {string} */ line) => ['-c', line] }
}

/** @param {Peer} peer @param {string} line */
function run(peer, line) {
  const [program = '', ...args] = peer.prefix
  const words = peer.line ? peer.line(line) : ['sh', '-c', line]
  return told(program, [...args, ...words], { env: { ...process.env, ...peer.env } })
}

/**
 * Only who runs a command and refuses a write is compared; of the others the row says why not.
 * @param {(Peer | { name: string, missing: string })[]} peers @param {string} directory
 */
async function sorted(peers, directory) {
  /** @type {Peer[]} */
  const usable = []
  const skipped = []
  for (const peer of peers) {
    const why = 'missing' in peer ? peer.missing : await objection(peer, directory)
    if (why !== undefined) skipped.push(skippedRow(suite, peer.name, why))
    else if ('prefix' in peer) usable.push(peer)
  }
  return { usable, skipped }
}

/** @param {Peer} peer @param {string} directory @returns {Promise<string | undefined>} */
async function objection(peer, directory) {
  const ran = await run(peer, 'echo it runs')
  if (ran.code !== 0 || !ran.text.includes('it runs'))
    return `does not run here: ${ran.text.trim().split('\n').at(-1)?.replaceAll(directory, '.').slice(0, 90) ?? ran.code}`
  const probe = join(directory, 'written')
  await run(peer, `echo x > '${probe}'`)
  return existsSync(probe) ? 'lets a write through' : undefined
}
