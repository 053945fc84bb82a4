import { describe, expect, it } from 'vitest'
import { isInstalled } from '../../helpers/programs.ts'
import { makeGround } from './ground.ts'

const deeper = `python3 -c 'import os
for i in range(6000): os.mkdir("d"*20); os.chdir("d"*20)
open("end","w")'`

describe('removing a private directory', { timeout: 240_000 }, () => {
  it.for([
    ['thousands of files', 'i=0; while [ $i -lt 5000 ]; do : > $i; i=$((i+1)); done'],
    ['a tree deeper than any path', deeper],
  ] as const)('copes with %s', async ([, line], context) => {
    if (line === deeper && !isInstalled('python3')) context.skip('python3 is not installed')
    const { run, left } = await makeGround()
    const { exitCode, stderr, enforcement } = await run(`cd "$TMPDIR" && ${line}`)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(left()).toEqual([])
    expect(enforcement['private tmp']?.enforced).toBe(true)
  })

  it('leaves the event loop alone', async () => {
    const { shell, left } = await makeGround()
    const alone = { ticks: 0, over: false }
    const tick = () => {
      alone.ticks++
      if (!alone.over) setImmediate(tick)
    }
    const command = 'cd "$TMPDIR"; seq 20000 | xargs touch 2>/dev/null; echo done'
    await shell.execute({ command, timeoutMs: 60_000 }, { onOutput: tick })
    alone.over = true
    expect(alone.ticks).toBeGreaterThan(100)
    expect(left()).toEqual([])
  })
})
