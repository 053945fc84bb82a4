// Processes as /proc shows them: what the tests look with.
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'

const entryPoints = [fileURLToPath(new URL('../helpers/processes.ts', import.meta.url))]
const { outputFiles } = buildSync({ entryPoints, write: false, format: 'esm' })
const helpers = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`)

export const { aliveWith, isLocked, ownChildren, survivors, waitFor } = helpers
export const end = helpers.endOne
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
