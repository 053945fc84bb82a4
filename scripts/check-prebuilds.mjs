// Before a release: the prebuild of this machine loads, and with --all every one is there.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { root } from './freshness.mjs'

const released = ['linux-x64', 'linux-arm64', 'win32-x64', 'win32-arm64']
const fileOf = (name) => join(root, 'prebuilds', name, 'vitrine.node')
const here = `${process.platform}-${process.arch}`

const wanted = process.argv.includes('--all') ? released : [here]
const missing = wanted.filter((name) => !existsSync(fileOf(name)))
if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`)
if (existsSync(fileOf(here))) {
  const addon = createRequire(import.meta.url)(fileOf(here))
  console.log(`${here} loads: ${JSON.stringify(addon.probe())}`)
}
