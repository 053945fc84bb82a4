// Tests with real clients, which are large: fetched into ~/.cache/vitrine-tests, run with an empty home and environment.
// usage: node scripts/test-clients.mjs [WORD...]   only the checks whose name has one of the words
import * as adapters from './clients/adapters.mjs'
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
const chosen = Object.entries(checks).filter(
  ([name]) => words.length === 0 || words.some((word) => name.includes(word)),
)

let failed = 0
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
console.log(`${chosen.length - failed} of ${chosen.length} passed`)
process.exitCode = failed === 0 && chosen.length > 0 ? 0 : 1
