import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, ExecuteRequest, Mode } from '../../src/index.ts'
import { secondRunFailed } from '../../src/messages/refusal.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

const asking = '[workspace]\non_refusal = "ask"\n'

/** A workspace beside a file that only write mode changes, and an approver that notes what it is asked. */
async function makeWorkspace({ toml = asking, answer = 'yes', mode = 'workspace' as Mode } = {}) {
  const parent = makeDirectory()
  const cwd = join(parent, 'workspace')
  mkdirSync(cwd)
  const outside = join(parent, 'outside')
  writeFileSync(outside, '')
  const asked: ApprovalRequest[] = []
  const approver = async (request: ApprovalRequest) => {
    asked.push(request)
    return answer as 'yes' | 'no'
  }
  const shell = await openTestShell({ cwd, mode, toml, approver })
  const command = `echo run >> runs; echo changed >> ${outside}`
  const run = (request: ExecuteRequest = { command }) => shell.execute(request)
  return { cwd, outside, asked, shell, command, run }
}

describe.runIf(process.platform === 'linux')(
  'a command that workspace mode refused, with on_refusal = "ask"',
  () => {
    it('runs once more in write mode when the approver says yes', async () => {
      const { cwd, outside, asked, command, run } = await makeWorkspace()
      const result = await run()
      expect(result).toMatchObject({ mode: 'write', exitCode: 0, decision: { verdict: 'ask' } })
      expect(asked).toMatchObject([{ command, cwd, mode: 'write' }])
      expect([readFileSync(outside, 'utf8'), readFileSync(join(cwd, 'runs'), 'utf8')]).toEqual([
        'changed\n',
        'run\nrun\n',
      ])
    })

    it('does not run again when the approver says no: the first result stands', async () => {
      const { outside, asked, run } = await makeWorkspace({ answer: 'no' })
      const result = await run()
      expect(result).toMatchObject({ mode: 'workspace', denials: [{ operation: 'write', path: outside }] })
      expect([asked.length, readFileSync(outside, 'utf8')]).toEqual([1, ''])
    })

    it('that cannot start again keeps its first result, whose hint says so', async () => {
      const { cwd, outside, run } = await makeWorkspace()
      mkdirSync(join(cwd, 'sub'))
      const command = `rmdir ../sub; echo changed >> ${outside}`
      const result = await run({ command, cwd: join(cwd, 'sub') })
      expect(result).toMatchObject({ mode: 'workspace', denials: [{ operation: 'write', path: outside }] })
      expect(result.hint).toContain(secondRunFailed(''))
      expect(existsSync(join(cwd, 'sub'))).toBe(false)
    })

    it('is asked about each time, whatever was approved before', async () => {
      const { asked, shell, run } = await makeWorkspace({ answer: 'all' })
      await run()
      await run()
      expect([asked.length, shell.approvals]).toEqual([2, []])
    })

    it('is not asked about when a rule denies it in write mode', async () => {
      const { outside, asked, run } = await makeWorkspace({ toml: `${asking}[policy]\ndeny = ["touch"]\n` })
      const result = await run({ command: `chmod 600 ${outside}; exec sh -c 'exit 3'` })
      expect([asked.length, result.mode]).toEqual([1, 'write'])
      await expect(run({ command: `touch ${outside}` })).rejects.toMatchObject({ code: 'DENIED' })
      expect(asked).toHaveLength(1)
    })

    it('is not asked about when it succeeded all the same, or its input cannot be read again', async () => {
      const { outside, asked, run } = await makeWorkspace()
      expect(await run({ command: `echo x > ${outside}; true` })).toMatchObject({
        mode: 'workspace',
        exitCode: 0,
      })
      const stdin = Readable.from(['x'])
      expect(await run({ command: `cat > ${outside}`, stdin })).toMatchObject({ mode: 'workspace' })
      expect([asked.length, readFileSync(outside, 'utf8')]).toEqual([0, ''])
    })

    it('is not asked about by default, nor in read mode', async () => {
      for (const options of [{ toml: '' }, { mode: 'read' as const }]) {
        const { cwd, asked, run } = await makeWorkspace(options)
        expect((await run()).denials).not.toEqual([])
        expect([asked.length, existsSync(join(cwd, 'runs'))]).toEqual([0, options.mode !== 'read'])
      }
    })
  },
)
