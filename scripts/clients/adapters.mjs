// The adapters with the packages they are for: every example runs, and the types fit.
import { cpSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../freshness.mjs'
import { bare, expect, installed, makeHome, run } from './place.mjs'

const packages = [
  'ai@6.0.326',
  '@openai/agents@0.20.0',
  '@anthropic-ai/sdk@1.12.0',
  'zod@4.6.7',
  '@types/node@20.19.43',
]

const types = `
import { Agent, shellTool as openAiShellTool } from '@openai/agents'
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool'
import type { ToolSet } from 'ai'
import { openShell } from 'vitrine'
import { shellTool, tools as aiSdkTools } from 'vitrine/ai-sdk'
import { bashTool, tools as anthropicTools } from 'vitrine/anthropic'
import { openAiShell, tools as agentTools } from 'vitrine/openai-agents'
import { toolDefinition } from 'vitrine/tool'

const shell = await openShell()
export const tools: ToolSet = { sh: shellTool(shell) }
export const bash: BetaRunnableTool<{ command?: string }> = bashTool(shell)
export const openai = openAiShellTool({ shell: openAiShell(shell) })
export const aiSdkSet: ToolSet = aiSdkTools(shell)
export const anthropicSet: BetaRunnableTool[] = anthropicTools(shell)
export const agent = new Agent({ name: 'x', tools: agentTools(shell) })
export const schema: { type: 'object' } = toolDefinition(shell).inputSchema
`

/** A project that has vitrine and the frameworks. */
function makeProject() {
  const home = makeHome()
  const modules = join(home, 'node_modules')
  cpSync(installed(...packages), modules, { recursive: true, verbatimSymlinks: true })
  symlinkSync(root, join(modules, 'vitrine'))
  cpSync(join(root, 'examples'), join(home, 'examples'), { recursive: true })
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n')
  return home
}

async function examples() {
  const home = makeProject()
  for (const name of ['tool-definition', 'ai-sdk', 'openai-agents', 'anthropic']) {
    const { code, text } = await run(process.execPath, [join(home, 'examples', `${name}.mjs`)], {
      env: bare(home),
    })
    expect(`${name} ${code}: ${text}`, new RegExp(`^${name} 0: `))
    expect(text, 'Permission denied')
  }
}

async function toolsRun() {
  const home = makeProject()
  cpSync(join(import.meta.dirname, 'tools-run.mjs'), join(home, 'tools-run.mjs'))
  for (const name of ['ai-sdk', 'openai-agents', 'anthropic']) {
    const { code, text } = await run(process.execPath, [join(home, 'tools-run.mjs'), name], {
      env: bare(home),
    })
    expect(`${name} ${code}: ${text}`, new RegExp(`^${name} 0: `))
    expect(text, /blocked in read mode: create [^"]*new-file/)
    expect(text, /"3\\n\[lines 3 to 3 of 4/)
    expect(text, /INVALID_REQUEST: The command is empty/)
  }
}

async function fits() {
  const home = makeProject()
  const file = join(home, 'fits.ts')
  writeFileSync(file, types)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const options = '--noEmit --strict --skipLibCheck --module nodenext --target es2022 --types node'.split(' ')
  const { code, text } = await run(process.execPath, [tsc, ...options, file], {
    env: bare(home),
    cwd: dirname(file),
    timeoutMs: 180_000,
  })
  expect(`${code}: ${text}`, /^0: /)
}

export const checks = {
  'adapters: examples run': examples,
  'adapters: tools run': toolsRun,
  'adapters: types fit': fits,
}
