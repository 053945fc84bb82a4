// Agents that say whether a server is well: each with the entry that `vitrine mcp install` writes.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bare, expect, installed, installServer, makeHome, run } from './place.mjs'

const node22 = 'node@22.23.3'

async function list(client, packages, healthy, prepare = () => {}) {
  const programs = join(installed(packages), '.bin')
  const home = makeHome()
  await installServer(client, home)
  prepare(home)
  const env = bare(home, join(installed(node22), '.bin'))
  const { text } = await run(join(programs, client), ['mcp', 'list'], { env })
  expect(text, healthy)
}

/** Gemini starts servers in a folder that is trusted, and nowhere else. */
function trustGemini(home) {
  mkdirSync(join(home, '.gemini'), { recursive: true })
  writeFileSync(join(home, '.gemini/trustedFolders.json'), JSON.stringify({ [home]: 'TRUST_FOLDER' }))
}

export const checks = {
  'claude mcp list': () => list('claude', '@anthropic-ai/claude-code@2.1.330', /vitrine: .* ✔ Connected/),
  'gemini mcp list': () =>
    list('gemini', '@google/gemini-cli@0.61.0', /✓ vitrine: .*\(stdio\) - Connected/, trustGemini),
  'opencode mcp list': () => list('opencode', 'opencode-ai@1.18.33', /✓ vitrine.*connected/),
  'codex mcp list': () => list('codex', '@openai/codex@0.169.0', /vitrine .* enabled/),
}
