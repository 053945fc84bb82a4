import { describe, expect, it } from 'vitest'
import { caller, connect, eras } from './connect.ts'

describe.each(eras)('sessions for a client of the %s era', (era) => {
  it('go on by name, each in its mode, and other calls have none', async () => {
    const { client } = await connect(['--mode', 'read,write'], { era })
    const run = caller(client, 'execute_command_write')
    const text = async (args: object) => (await run({ session: 'a', ...args })).text
    expect(await text({ command: 'cd /usr; x=1; f() { echo "f $1"; }' })).toBe('(no output)')
    expect(await text({ command: 'pwd', next: ['echo $x', 'f y; x=2'] })).toContain('/usr')
    expect(await text({ command: 'echo $x' })).toBe('2\n')
    expect(await text({ command: 'echo ".$x."', session: 'b' })).toBe('..\n')
    expect(await text({ command: 'echo ".$x."', mode: 'write' })).toBe('..\n')
    expect(await text({ command: 'echo ".$x."', session: undefined })).toBe('..\n')
  })

  it('are offered in few words, and a wrong name is refused', async () => {
    const { client } = await connect(['--mode', 'read'], { era })
    const { tools } = await client.listTools()
    expect(tools[0]?.description).toContain('only with session')
    const run = caller(client, 'execute_command')
    expect(await run({ command: 'true', session: '../x' })).toMatchObject({ isError: true })
  })
})
