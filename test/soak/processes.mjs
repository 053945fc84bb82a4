// Processes as /proc shows them: what the tests look with.
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const pathOf = (name) => fileURLToPath(new URL(`../../${name}`, import.meta.url))
const compiler = pathOf('node_modules/.bin/esbuild')
const script = execFileSync(compiler, [pathOf('test/helpers/processes.ts'), '--format=esm'])
const helpers = await import(`data:text/javascript;base64,${script.toString('base64')}`)

export const { aliveWith, isLocked, ownChildren, survivors, waitFor } = helpers
export const end = helpers.endOne
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
