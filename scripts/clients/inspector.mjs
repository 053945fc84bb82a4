// MCP Inspector's command line: one server and one call for each run.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bare, expect, installed, makeHome, program, run } from './place.mjs'

function inspector() {
  const home = makeHome()
  mkdirSync(join(home, '.config/vitrine'), { recursive: true })
  writeFileSync(join(home, '.config/vitrine/config.toml'), '[policy]\ndeny = ["shutdown"]\n')
  const bin = join(installed('@modelcontextprotocol/inspector@2.12.0'), '.bin/mcp-inspector')
  const env = bare(home, join(installed('node@22.23.3'), '.bin'))
  const inspect = async (...args) => {
    const all = ['--cli', process.execPath, program, 'mcp', ...args, '--format', 'json', '-q']
    const { stdout } = await run(bin, all, { env })
    return JSON.parse(stdout).result
  }
  const call = (tool, input) =>
    inspect('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input))
  return { inspect, call }
}

async function textOf(answer, isError) {
  const { content, isError: said = false } = await answer
  if (said !== isError) throw new Error(`isError is ${said}: ${content[0].text}`)
  return content[0].text
}

async function calls() {
  const { inspect, call } = inspector()
  const { tools } = await inspect('--method', 'tools/list')
  expect(tools.map(({ name }) => name).join(), /^execute_command,read_scratchpad$/)
  const command = (input) => call('execute_command', input)
  expect(await textOf(command({ command: 'echo x' }), false), /^x\n$/)
  expect(await textOf(command({ command: 'exit 3' }), false), /^\(no output\)\n\[exit code: 3\]$/)
  const late = { command: 'sleep 30', timeout_ms: 300 }
  expect(await textOf(command(late), false), '[timed out after 300 ms; terminated]')
  expect(await textOf(command({ command: 'shutdown now' }), true), /^DENIED: /)
  const long = await textOf(command({ command: 'seq 1 100000', scratchpad: 'long' }), false)
  expect(
    long,
    /\[output: 588\.9 kB, saved whole to scratchpad "long" at \S+; shown: first and last 15000 characters;/,
  )
  const read = await textOf(call('read_scratchpad', { name: 'long', offset: -1 }), false)
  expect(read, /^100000\n\[lines 100000 to 100000 of 100000; saved by an earlier session/)
}

export const checks = { 'MCP Inspector': calls }
