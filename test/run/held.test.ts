import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ApprovalRequest, Approver, Result } from '../../src/index.ts'
import { reasonsOf } from '../../src/messages/approval.ts'
import type { HeldBecause } from '../../src/messages/refusal.ts'
import { heldHint, secondRunFailed } from '../../src/messages/refusal.ts'
import { makeDirectory, openTestShell, type TestShellOptions } from '../helpers/place.ts'
import { allProcesses, makeMarker, waitFor } from '../helpers/processes.ts'

type Answer = 'yes' | 'no' | 'same' | 'all'

/** A directory with a file of three lines, and an approver that notes what it is asked. */
async function open(answer: Answer | Approver = 'no', options: TestShellOptions = {}) {
  const cwd = makeDirectory()
  writeFileSync(join(cwd, 'f'), 'b\na\nc\n')
  const asked: (ApprovalRequest & { readonly reasons: readonly string[] })[] = []
  const approver: Approver = async (request, decision) => {
    asked.push({ ...request, reasons: reasonsOf(decision) })
    return typeof answer === 'string' ? answer : answer(request, decision)
  }
  const shell = await openTestShell({ cwd, mode: 'write', approver, ...options })
  const text = (name: string) => readFileSync(join(cwd, name), 'utf8')
  return { cwd, shell, asked, text, isMade: (name: string) => existsSync(join(cwd, name)) }
}

/** Says something, and is refused something. */
const sorting = 'echo first; echo second >&2; sort -o F f'

/** What a listener got. */
function listening() {
  const heard: string[] = []
  const onOutput = (_: string, chunk: Buffer) => void heard.push(chunk.toString())
  return { onOutput, heard: () => heard.join('') }
}

/** Why the held run stands. */
function saysWhy({ hint }: Result, why: HeldBecause): boolean {
  const [, because = ''] = heldHint([], '/', why).split('): ')
  return hint?.endsWith(because) === true
}

describe.runIf(process.platform === 'linux')('a line of write mode that runs held', () => {
  it('tells the approver what was refused, and runs again from the start with a yes', async () => {
    const { cwd, shell, asked, text } = await open('yes')
    const result = await shell.execute({ command: sorting })
    expect(result).toMatchObject({
      mode: 'write',
      exitCode: 0,
      stdout: 'first\n',
      decision: { verdict: 'ask' },
    })
    expect(result.decision.held).toBeUndefined()
    expect(asked).toMatchObject([
      { command: sorting, cwd, mode: 'write', reasons: [expect.stringContaining('create F')] },
    ])
    expect(text('F')).toBe('a\nb\nc\n')
  })

  it('stands with a no: its hint says why, and nothing has changed', async () => {
    const { shell, asked, isMade } = await open('no')
    const result = await shell.execute({ command: sorting })
    expect(result).toMatchObject({ mode: 'read', exitCode: 2, decision: { verdict: 'allow', held: true } })
    expect([asked.length, saysWhy(result, 'refused'), isMade('F')]).toEqual([1, true, false])
  })

  it('stands where a rule denies it in write mode, without a question', async () => {
    const { cwd, shell, asked } = await open('yes')
    writeFileSync(join(cwd, '.vitrine.toml'), '')
    const result = await shell.execute({ command: 'sort -o .vitrine.toml f' })
    expect([result.mode, asked.length, saysWhy(result, 'refused')]).toEqual(['read', 0, true])
  })

  it('stands without an approver, where [policy] unattended is deny', async () => {
    const { shell, isMade } = await open('yes', {
      approver: undefined,
      toml: '[policy]\nunattended = "deny"\n',
    })
    const result = await shell.execute({ command: sorting })
    expect([result.mode, saysWhy(result, 'unasked'), isMade('F')]).toEqual(['read', true, false])
  })

  it('keeps its exit code, whatever it was refused, and is asked about though it succeeded', async () => {
    const { shell, asked } = await open('no')
    for (const [command, exitCode, questions] of [
      ['exit 3', 3, 0],
      ['sort -o F f; exit 7', 7, 1],
      ['sort -o F f 2>/dev/null || true', 0, 2],
      ['git status; sleep 0; exit 0', 0, 2],
    ] as const) {
      expect(await shell.execute({ command }), command).toMatchObject({ mode: 'read', exitCode })
      expect(asked, command).toHaveLength(questions)
    }
  })

  it('gets the same standard input both times', async () => {
    const { shell, text } = await open('yes')
    await shell.execute({ command: 'cat; sort -o F', stdin: 'b\na\n' }).catch(() => undefined)
    const result = await shell.execute({ command: 'sort -o F', stdin: 'b\na\n' })
    expect([result.mode, text('F')]).toEqual(['write', 'a\nb\n'])
  })

  it('runs again without a question where an answer covers the same line', async () => {
    for (const answer of ['same', 'all'] as const) {
      const { shell, asked } = await open(answer)
      const modes = [await shell.execute({ command: sorting }), await shell.execute({ command: sorting })]
      expect([modes.map(({ mode }) => mode), asked.length]).toEqual([['write', 'write'], 1])
    }
  })

  it('in a list, runs again in its turn; a no is a failure like another', async () => {
    const list = ['sort -o F f', 'cat F']
    const yes = await open('yes')
    const results = await yes.shell.executeAll(list)
    expect(results.map(({ mode, stdout }) => [mode, stdout])).toEqual([
      ['write', ''],
      ['read', 'a\nb\nc\n'],
    ])
    const no = await open('no')
    expect(await no.shell.executeAll(list)).toMatchObject([{ mode: 'read', exitCode: 2 }])
    expect(no.isMade('F')).toBe(false)
  })
})

describe.runIf(process.platform === 'linux')('the output of a held line reaches onOutput once', () => {
  it.each(['yes', 'no'] as const)('with the answer %s', async (answer) => {
    const { shell } = await open(answer)
    const { onOutput, heard } = listening()
    const result = await shell.execute({ command: sorting }, { onOutput })
    expect(heard().match(/first/g)).toHaveLength(1)
    expect(heard().match(/second/g)).toHaveLength(1)
    expect([...heard()].sort()).toEqual([...result.stdout, ...result.stderr].sort())
  })

  it('whole and in order where nothing is refused', async () => {
    const { shell, asked } = await open()
    const { onOutput, heard } = listening()
    await shell.execute({ command: 'seq 1 20000' }, { onOutput })
    expect(heard() === Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join('')).toBe(true)
    expect(asked).toEqual([])
  })

  it('as it comes where it is long: then the line does not run again', async () => {
    const { shell, asked } = await open('yes')
    const { onOutput, heard } = listening()
    const command = 'seq 1 300000; sort -o F f'
    const result = await shell.execute({ command }, { onOutput })
    expect([result.mode, asked.length, saysWhy(result, 'told')]).toEqual(['read', 0, true])
    expect(heard().match(/^300000$/gm)).toHaveLength(1)
    expect(heard().startsWith('1\n2\n3\n')).toBe(true)
    expect((await shell.execute({ command })).mode).toBe('write')
  })

  it('and a listener that fails ends in a ListenerError, with the result', async () => {
    const { shell } = await open('no')
    const onOutput = () => {
      throw new Error('broken')
    }
    for (const command of ['echo a', sorting])
      await expect(shell.execute({ command }, { onOutput })).rejects.toMatchObject({
        cause: { message: 'broken' },
        result: { mode: 'read' },
      })
  })
})

describe.runIf(process.platform === 'linux')('between the held run and the second one', () => {
  it.each(['abort', 'SIGINT'] as const)('a command that was ended is not asked about: %s', async (how) => {
    const { shell, asked } = await open('yes')
    const cancel = new AbortController()
    const marker = makeMarker()
    const executing = shell.execute({ command: `sort -o F f; sleep ${marker}` }, { signal: cancel.signal })
    const sleeps = () => allProcesses().some(({ commandLine }) => commandLine.startsWith(`sleep\0${marker}`))
    expect(await waitFor(sleeps)).toBe(true)
    if (how === 'abort') cancel.abort()
    else shell.signal(how)
    const result = await executing
    expect([result.outcome.kind !== 'exited', result.mode, saysWhy(result, 'ended')]).toEqual([
      true,
      'read',
      true,
    ])
    expect(asked).toEqual([])
  })

  it('one that timed out is', async () => {
    const { shell, asked, isMade } = await open('no')
    const result = await shell.execute({ command: `sort -o F f; sleep ${makeMarker()}`, timeoutMs: 3000 })
    expect([result.timedOut, result.mode, asked.length, isMade('F')]).toEqual([true, 'read', 1, false])
  })

  it.each([
    ['signal', false],
    ['close', false],
    ['signal', true],
    ['close', true],
  ] as const)(
    'what ends the question, or comes with a yes, leaves the held result: %s, %s',
    async (how, yes) => {
      const cancel = new AbortController()
      let end = () => {}
      const { shell, asked, isMade } = await open(() => {
        end()
        return yes ? Promise.resolve('yes' as const) : new Promise(() => {})
      })
      end = how === 'signal' ? () => cancel.abort(new Error('enough')) : () => void shell.close()
      const { onOutput, heard } = listening()
      const result = await shell.execute({ command: sorting }, { onOutput, signal: cancel.signal })
      expect([result.mode, result.stdout, asked.length, isMade('F')]).toEqual(['read', 'first\n', 1, false])
      expect(heard()).toContain('first\n')
      expect(result.hint).toBeDefined()
    },
  )

  it('a second run that cannot start leaves the held result, which says so', async () => {
    const cwd = join(makeDirectory(), 'gone')
    mkdirSync(cwd)
    const { shell } = await open(async () => {
      rmSync(cwd, { recursive: true })
      return 'yes'
    })
    const result = await shell.execute({ command: 'sort -o F /dev/null', cwd })
    expect(result.mode).toBe('read')
    expect(result.hint).toContain(secondRunFailed(''))
  })
})

describe.runIf(process.platform === 'linux')(
  'a held run has no effect that a second one would repeat',
  () => {
    it('it connects to nothing, whatever the network of the shell is', async () => {
      let requests = 0
      const server = createServer((_, response) => {
        requests += 1
        response.end()
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      const { port } = server.address() as AddressInfo
      let before = -1
      const approver: Approver = async () => {
        before = requests
        return 'yes'
      }
      const env = { GIT_TERMINAL_PROMPT: '0', http_proxy: undefined, HTTP_PROXY: undefined }
      for (const network of [true, ['127.0.0.1']]) {
        const { cwd, shell } = await open(approver, { network, env })
        execFileSync('git', ['init', '-q'], { cwd })
        requests = 0
        const result = await shell.execute({ command: `git remote show http://127.0.0.1:${port}/x` })
        expect([result.mode, before, requests > 0]).toEqual(['write', 0, true])
      }
      server.close()
    })

    it.each([
      ...['echo "$TMPDIR"', 'tar cf $TMPDIR/x.tar f', 'cat "$TMP/x"', 'printenv TMPDIR'],
      ...['sleep 300 &', "sh -c 'sleep 300 & true'", '(sleep 300 &)'],
    ])(
      'it is asked about before, where its TMPDIR matters or something stays behind: %s',
      async (command) => {
        const { shell, asked } = await open('no')
        await expect(shell.execute({ command })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
        expect(asked).toHaveLength(1)
      },
    )

    it('it is asked about before, where its input is a stream or it has a terminal', async () => {
      const { shell, asked } = await open('no')
      await expect(shell.execute({ command: 'cat', stdin: Readable.from(['x']) })).rejects.toThrow()
      await expect(shell.start({ command: 'ls', pty: true })).rejects.toThrow()
      expect(asked).toHaveLength(2)
    })
  },
)

it.runIf(process.platform === 'linux')('what other processes have open is asked about', async () => {
  const { shell, asked } = await open('yes')
  const environment = `/proc/${process.pid}/environ`
  const command = `tr '\\0' '\\n' < ${environment}; cat ${environment}`
  const result = await shell.execute({ command })
  expect([asked.length, result.mode, result.exitCode]).toEqual([1, 'write', 0])
  for (const command of ['lsof -p 1', 'ss -ltnp'])
    expect((await shell.decide({ command })).verdict).toBe('ask')
})

describe('preset analysis in write mode', () => {
  it('runs held without a question, or not at all', async () => {
    const toml = '[policy]\npreset = "analysis"\n'
    const { shell, asked, isMade } = await open('yes', { toml })
    const result = await shell.execute({ command: 'sort -o F f' })
    expect([result.mode, asked.length, saysWhy(result, 'analysis'), isMade('F')]).toEqual([
      'read',
      0,
      true,
      false,
    ])
    const free = await open('yes', { toml: `[shell]\nsandbox = false\n${toml}` })
    await expect(free.shell.execute({ command: 'sort -o F f' })).rejects.toMatchObject({ code: 'DENIED' })
    expect(free.isMade('F')).toBe(false)
  })
})
