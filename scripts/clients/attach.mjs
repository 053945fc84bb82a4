// Runs the checks of attached agents, each agent in a process whose network is loopback alone.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../freshness.mjs'
import { agents } from './agents.mjs'
import { installed } from './place.mjs'
import { clientNode } from './session.mjs'

const checks = join(root, 'scripts/clients/attached.mjs')
const alone = ['--net', '--', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh']

/** The number of agents of which something came out other than the table says. */
export function checkAttached([name, ...words]) {
  installed(clientNode)
  const chosen = name === undefined ? Object.keys(agents) : [name]
  const hasNamespaces = spawnSync('unshare', [...alone, 'true']).status === 0
  if (!hasNamespaces)
    console.log('no network namespace can be made here: the agents run with the network that there is')
  const failed = chosen.filter((client) => {
    installed(agents[client].package)
    const run = [process.execPath, checks, client, ...words]
    const [file, args] = hasNamespaces ? ['unshare', [...alone, ...run]] : [run[0], run.slice(1)]
    return spawnSync(file, args, { stdio: 'inherit' }).status !== 0
  })
  return failed.length
}
