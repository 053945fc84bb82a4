import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Home } from '../../../cli/vitrine.ts'
import { ownWorldMissing } from '../../../helpers/own-world.ts'
import { connect, eras } from '../../../mcp/connect.ts'

const missing = process.platform === 'linux' ? ownWorldMissing() : 'needs Linux'
const serve = `node -e "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port); process.exit() })"`

describe.skipIf(missing !== null).each(eras)('a client of the %s era', (era) => {
  it('is told where a command has listened', async () => {
    const home = new Home()
    const project = join(home.directory, 'project')
    execFileSync('git', ['init', '-q', project])
    const { run } = await connect(
      ['--mode', 'workspace', '--approve', 'client', '--cwd', project, '--structured'],
      { home, era },
    )
    const { text, structured } = await run({ command: serve })
    const port = Number.parseInt(text, 10)
    const at = { address: '127.0.0.1', port, pid: expect.any(Number), program: 'node' }
    expect(structured).toMatchObject({ exitCode: 0, listening: [at] })
    expect(text).toMatch(
      new RegExp(`^\\[listened, until it ended, at 127\\.0\\.0\\.1:${port} \\(node, pid \\d+\\)\\]$`, 'm'),
    )
    expect((await run({ command: 'true' })).structured).toMatchObject({ listening: [] })
  })
})
