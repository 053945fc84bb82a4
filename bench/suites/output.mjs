// 1 GiB of output: speed against a shell's own redirection, and memory.
import { rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { plain, succeeded } from '../lib/commands.mjs'
import { growthDuring } from '../lib/memory.mjs'
import { ratioRows, valueRow } from '../lib/rows.mjs'
import { withShells } from '../lib/shells.mjs'
import { interleave } from '../lib/stats.mjs'

const gibibyte = 2 ** 30
const pieceBytes = 2 ** 26

/** @param {{ quick: boolean }} options */
export function output({ quick }) {
  return withShells(async (shells) => {
    const text = join(shells.directory, 'text')
    writeFileSync(text, textOf(pieceBytes))
    const rounds = quick ? 1 : 5
    const pieces = `'${text}' `.repeat(gibibyte / pieceBytes)
    return [
      ...(await measure('1 GiB of zeroes, more is better', `head -c ${gibibyte} /dev/zero`, {
        ...shells,
        rounds,
      })),
      ...(await measure('1 GiB of text, more is better', `head -q -c ${pieceBytes} ${pieces}`, {
        ...shells,
        rounds,
      })),
    ]
  })
}

/** Lines such as tools print, one character in a hundred outside ASCII. @param {number} bytes */
function textOf(bytes) {
  const line =
    'src/module/file.ts:120: a line as tools print them, with a sign outside ASCII: é; and the rest of it\n'
  return Buffer.alloc(bytes, line)
}

/**
 * @param {string} suite @param {string} command
 * @param {{ directory: string, rounds: number, read: import('../../dist/index.js').Shell }} options
 */
async function measure(suite, command, { directory, rounds, read }) {
  /** @type {number[]} */
  const grown = []
  const samples = await interleave(
    {
      'sh -c "CMD > file"': () => redirected(command, join(directory, 'redirected')),
      'vitrine, read mode, to the scratchpad': () => stored(command, read, grown),
    },
    { rounds, warmUp: 1, lead: 0 },
  )
  return [
    ...ratioRows(suite, throughput(samples), { unit: 'MB/s' }),
    valueRow(suite, 'peak minus idle memory of the host', grown, 'MB', { most: 32 }),
  ]
}

/** @param {Record<string, number[]>} samples milliseconds for 1 GiB */
function throughput(samples) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, times]) => [name, times.map((ms) => gibibyte / 1e3 / ms)]),
  )
}

/** @param {string} command @param {string} file */
async function redirected(command, file) {
  const started = performance.now()
  const code = await plain('sh', ['-c', `${command} > '${file}'`])
  const took = performance.now() - started
  if (code !== 0 || statSync(file).size !== gibibyte) throw new Error(`the redirection ended with ${code}`)
  rmSync(file)
  return took
}

/** @param {string} command @param {import('../../dist/index.js').Shell} shell @param {number[]} grown */
async function stored(command, shell, grown) {
  let took = 0
  const growth = await growthDuring(async () => {
    const started = performance.now()
    const { scratchpad } = succeeded(await shell.execute({ command, timeoutMs: 300_000 }))
    took = performance.now() - started
    if (!scratchpad || statSync(scratchpad.path).size !== gibibyte) throw new Error('bytes are missing')
    rmSync(scratchpad.path)
  })
  grown.push(growth)
  return took
}
