// The command line as a whole process, against a Node that does nothing.
import { fileURLToPath } from 'node:url'
import { plain, told } from '../lib/commands.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

const suite = 'command line'
const program = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

/** @param {{ quick: boolean }} options */
export async function cli({ quick }) {
  const name = 'vitrine run -- true'
  const tried = await told(process.execPath, [program, 'run', '--', 'sh', '-c', 'echo it runs'])
  if (tried.code !== 0 || !tried.text.includes('it runs'))
    return [skippedRow(suite, name, `dist/cli.js does not run a command (exit ${tried.code})`)]
  const node = (/** @type {string[]} */ ...args) => plain(process.execPath, args).then(() => {})
  const samples = await interleave(
    {
      'node -e 0': () => node('-e', '0'),
      [name]: () => node(program, 'run', '--', 'true'),
    },
    { rounds: quick ? 10 : 50, warmUp: 2, lead: 0 },
  )
  return ratioRows(suite, samples, { targets: { [name]: 1.5 } })
}
