import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { omittedLine } from '../../src/messages/refusal.ts'
import { openTestShell } from '../helpers/place.ts'

const most = 67_108_864
/** A JSON document of 48,895 characters. */
const json = `printf '["'; seq -s , 10000 | tr -d '\\n'; printf '"]'`

describe('output that is longer than the result shows', () => {
  it('is said to be truncated, in each stream, and stands whole in the scratchpad', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const result = await shell.execute({ command: json })
    expect(result).toMatchObject({ exitCode: 0, truncated: true, scratchpad: { bytes: result.bytes } })
    expect(() => JSON.parse(result.stdout)).toThrow(SyntaxError)
    expect(JSON.parse(readFileSync(result.scratchpad?.path ?? '', 'utf8'))).toHaveLength(1)
  })
})

describe('inlineMaxChars', () => {
  it('0 shows nothing, and everything is saved', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const result = await shell.execute({ command: 'echo x; echo y >&2' }, { inlineMaxChars: 0 })
    expect(result).toMatchObject({ output: '', stdout: '', stderr: '', truncated: true, omittedBytes: 4 })
    expect(readFileSync(result.scratchpad?.path ?? '', 'utf8')).toBe('x\ny\n')
    const silent = await shell.execute({ command: 'true' }, { inlineMaxChars: 0 })
    expect(silent).toMatchObject({ output: '', truncated: false, omittedBytes: 0 })
    expect(silent.scratchpad).toBeUndefined()
  })

  it.each([-1, 1.5, most + 1, Number.NaN, '5'])('%s is refused', async (inlineMaxChars) => {
    const shell = await openTestShell({ mode: 'read' })
    const call = shell.execute({ command: 'echo x' }, { inlineMaxChars: inlineMaxChars as number })
    await expect(call).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      refusal: {
        problem: {
          kind: 'wrong-type',
          field: 'inlineMaxChars',
          got: inlineMaxChars === '5' ? '"5"' : `${inlineMaxChars}`,
        },
      },
    })
  })
})

describe("encoding: 'buffer'", () => {
  const everyByte = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

  it('gives the bytes as they came', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const result = await shell.execute(
      { command: 'cat; printf "\\377" >&2', stdin: everyByte },
      { encoding: 'buffer' },
    )
    expect(result.stdout.equals(everyByte)).toBe(true)
    expect(result.stderr).toEqual(Buffer.from([255]))
    expect(result.output.length).toBe(257)
    expect([result.truncated, result.scratchpad]).toEqual([false, undefined])
  })

  it('counts inlineMaxChars in bytes; longer output is cut and saved', async () => {
    const shell = await openTestShell({ mode: 'read' })
    const options = { encoding: 'buffer', inlineMaxChars: 100 } as const
    const result = await shell.execute({ argv: ['cat'], stdin: everyByte }, options)
    expect(result).toMatchObject({ truncated: true, omittedBytes: 156 })
    expect(result.stdout.subarray(0, 50).equals(everyByte.subarray(0, 50))).toBe(true)
    expect(result.stdout.subarray(-50).equals(everyByte.subarray(-50))).toBe(true)
    expect(result.stdout.toString('latin1')).toContain(omittedLine(156))
    expect(readFileSync(result.scratchpad?.path ?? '')).toEqual(everyByte)
    expect((await shell.execute({ command: 'echo x' }, { ...options, inlineMaxChars: 0 })).stdout).toEqual(
      Buffer.alloc(0),
    )
  })
})
