// Runs one suite in this process, alone, and prints its rows as JSON: started by run.mjs.
import { burst } from './suites/burst.mjs'
import { calls } from './suites/calls.mjs'
import { cli } from './suites/cli.mjs'
import { deadline } from './suites/deadline.mjs'
import { explore } from './suites/explore.mjs'
import { limited } from './suites/limits.mjs'
import { mcp } from './suites/mcp.mjs'
import { network } from './suites/network.mjs'
import { output } from './suites/output.mjs'
import { peers } from './suites/peers.mjs'
import { reads } from './suites/reads.mjs'
import { reports } from './suites/reports.mjs'
import { held, start } from './suites/start.mjs'
import { suites as ofOthers } from './suites/suites.mjs'
import { workspace } from './suites/workspace.mjs'

/** @type {Record<string, (options: { quick: boolean }) => Promise<import('./lib/rows.mjs').Row[]>>} */
const suites = {
  start,
  held,
  calls,
  reads,
  workspace,
  peers,
  explore,
  output,
  network,
  burst,
  reports,
  cli,
  mcp,
  limited,
  deadline,
  suites: ofOthers,
}

const [name = '', ...flags] = process.argv.slice(2)
const suite = suites[name]
if (!suite) throw new Error(`no suite ${name}`)
process.stdout.write(JSON.stringify(await suite({ quick: flags.includes('--quick') })))
