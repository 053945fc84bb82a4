// The command line as a whole process, against a Node that does nothing.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { plain, told } from '../lib/commands.mjs'
import { ratioRows, skippedRow } from '../lib/rows.mjs'
import { interleave } from '../lib/stats.mjs'

const suite = 'command line'
const root = new URL('../../', import.meta.url)
/** What npm links as `vitrine`. */
const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'))
const program = fileURLToPath(new URL(bin.vitrine, root))

/** @param {{ quick: boolean }} options */
export async function cli({ quick }) {
  const name = 'vitrine run -- true'
  const tried = await told(process.execPath, [program, 'run', '--', 'sh', '-c', 'echo it runs'])
  if (tried.code !== 0 || !tried.text.includes('it runs'))
    return [skippedRow(suite, name, `${bin.vitrine} does not run a command (exit ${tried.code})`)]
  const node = (/** @type {string[]} */ ...args) => plain(process.execPath, args).then(() => {})
  const samples = await interleave(
    {
      'node -e 0': () => node('-e', '0'),
      [name]: () => node(program, 'run', '--', 'true'),
      'vitrine run --write -- true': () => node(program, 'run', '--write', '--', 'true'),
      'vitrine --version': () => node(program, '--version'),
      'vitrine --help': () => node(program, '--help'),
    },
    { rounds: quick ? 10 : 50, warmUp: 2, lead: 0 },
  )
  return ratioRows(suite, samples, {
    targets: { [name]: 1.2, 'vitrine --version': 1.05, 'vitrine --help': 1.05 },
  })
}
