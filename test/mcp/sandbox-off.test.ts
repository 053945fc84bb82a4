import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../cli/vitrine.ts'
import { caller, connect, eras } from './connect.ts'

/** A server whose configuration switches the sandbox, and so read mode, off. */
async function serve(args: readonly string[], era: (typeof eras)[number], toml = '') {
  const home = new Home()
  const file = home.configure(`[shell]\nsandbox = false\n${toml}`)
  const { client, said } = await connect(args, { era, home })
  const { tools } = await client.listTools()
  return { client, home, file, said, tools, names: tools.map(({ name }) => name) }
}

const scratchpad = ['read_scratchpad']

describe.each(eras)('[shell] sandbox = false, for a client of the %s era', (era) => {
  it.each([[[]], [['--mode', 'read']]])('%j lists no tool that runs commands, and says why', async (args) => {
    const { client, file, names, said } = await serve(args, era)
    expect(names).toEqual(scratchpad)
    const why = `No tool can run commands, because [shell] sandbox = false (${file})`
    expect(client.getInstructions()).toContain(why)
    await expect.poll(said).toContain(why)
  })

  it.each([
    [['--mode', 'write'], '', 'execute_command'],
    [[], 'mode = "write"\n', 'execute_command'],
    [['--mode', 'both'], '', 'execute_command_write'],
  ])('%j %j lists the one tool of write mode, as %s, and it runs', async (args, toml, name) => {
    const { client, home, tools, names } = await serve(args, era, toml)
    expect(names).toEqual([name, ...scratchpad, 'read_command', 'stop_command', 'list_commands'])
    expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true })
    expect(`${client.getInstructions()} ${tools[0]?.description}`).not.toMatch(/read.(only|mode)/i)
    expect(await caller(client, name)({ command: 'echo x > file' })).toMatchObject({ isError: false })
    expect(existsSync(join(home.directory, 'file'))).toBe(true)
  })
})
