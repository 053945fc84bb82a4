// Tests with real clients, which are large: fetched into ~/.cache/vitrine-tests, run with an empty home and environment.
// usage: node scripts/test-clients.mjs [WORD...]   only the checks whose name has one of the words
//        node scripts/test-clients.mjs attached [CLIENT [WORD...]]   `vitrine attach` with the agents, without a network
import * as adapters from './clients/adapters.mjs'
import { checkAttached } from './clients/attach.mjs'
import * as codex from './clients/codex.mjs'
import * as conformance from './clients/conformance.mjs'
import * as inspector from './clients/inspector.mjs'
import * as lists from './clients/lists.mjs'
import { removeHomes } from './clients/place.mjs'

const checks = Object.assign(
  {},
  ...[inspector, conformance, codex, lists, adapters].map((group) => group.checks),
)
const words = process.argv.slice(2)
const alone = words[0] === 'attached'
const chosen = Object.entries(checks).filter(
  ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
)

let failed = words.length === 0 || alone ? checkAttached(words.slice(1)) : 0
for (const [name, check] of chosen) {
  const started = performance.now()
  try {
    const said = await check()
    const took = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`ok    ${name} (${took} s)${said === undefined ? '' : `: ${said}`}`)
  } catch (error) {
    failed++
    console.log(`FAIL  ${name}\n${error instanceof Error ? error.message : error}`)
  }
}
removeHomes()
if (!alone) console.log(`${chosen.length} checks without attaching`)
if (failed > 0) console.log(`${failed} failed`)
process.exitCode = failed === 0 && (chosen.length > 0 || alone) ? 0 : 1
