import { beforeEach, describe, expect, it } from 'vitest'
import type { Approval, ApprovalRequest, Approver } from '../../../src/admit/approver.ts'
import { thisHost } from '../../../src/host/host.ts'
import { approvalChoices, approvalHeading } from '../../../src/messages/approval.ts'
import { openAudited } from '../../audit/place.ts'
import { Home } from '../../cli/vitrine.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { Tmux } from '../../helpers/tmux.ts'
import { connect, eras } from '../../mcp/connect.ts'
import { resolveInTests, webServer } from '../surroundings.ts'
import { listsRefused, openListedShell } from './surroundings.ts'

const toml = '[network]\nask = true\ndeny = ["denied.example"]'

/** Answers by host; keeps what it was asked about. */
function approving(answer: (host: string, request: ApprovalRequest) => Approval | Promise<Approval>) {
  const asked: unknown[] = []
  const approver: Approver = async (request) => {
    asked.push(request.connect)
    return answer(request.connect?.host ?? '', request)
  }
  return { asked, approver }
}

describe.skipIf(listsRefused !== null || !isInstalled('curl'))('[network] ask', () => {
  async function open(approver: Approver | undefined, settings = toml, list?: readonly string[]) {
    const options = { toml: settings, ...(list && { network: list }), ...(approver && { approver }) }
    const { port, shell } = await openListedShell({ mode: 'read', ...options })
    const get = (...hosts: string[]) => ({
      argv: ['curl', '-sSf', ...hosts.map((host) => `http://${host}:${port}/`)],
    })
    return { shell, port, get }
  }

  it('a yes lets the command connect, and the question names program, host and port', async () => {
    const { asked, approver } = approving(() => 'yes')
    const { shell, port, get } = await open(approver)
    const result = await shell.execute(get('new.example', 'new.example'))
    expect(result).toMatchObject({ exitCode: 0, denials: [] })
    expect(asked).toEqual([{ host: 'new.example', port, program: 'curl' }])
  })

  it('asks again for the next command after yes, and no more after same, all and no', async () => {
    const answers: Readonly<Record<string, Approval>> = {
      's.example': 'same',
      'a.example': 'all',
      'n.example': 'no',
    }
    const { asked, approver } = approving((host) => answers[host] ?? 'yes')
    const { shell, get } = await open(approver)
    const hosts = ['y.example', 's.example', 'a.example', 'n.example']
    for (const host of [...hosts, ...hosts])
      expect((await shell.execute(get(host))).exitCode === 0).toBe(host !== 'n.example')
    expect(asked.map((question) => Object(question).host)).toEqual([...hosts, 'y.example'])
    expect(shell.approvals.map(({ kind }) => kind)).toEqual(['host', 'host'])
    shell.revoke()
    await shell.execute(get('s.example'))
    await shell.execute(get('n.example'))
    expect(asked).toHaveLength(7)
  })

  it('asks about every host when the list is empty, and about none when the network is shut', async () => {
    const { asked, approver } = approving(() => 'yes')
    const { shell, port, get } = await open(approver, toml, [])
    const result = await shell.execute(get('new.example'))
    expect(asked).toEqual([{ host: 'new.example', port, program: 'curl' }])
    // The test's names lead to this machine, which a yes does not open.
    expect(result.connections).toMatchObject([{ host: 'new.example', port, reason: 'not-public' }])
    expect((await shell.execute({ ...get('other.example'), network: false })).connections).toBeUndefined()
    expect(asked).toHaveLength(1)
  })

  it('a refused host is a denial with program, host and port', async () => {
    const { approver } = approving(() => 'no')
    const { shell, port, get } = await open(approver)
    const result = await shell.execute(get('new.example'))
    expect(result.connections).toMatchObject([{ host: 'new.example', port, reason: 'not-approved' }])
    expect(result.denials).toMatchObject([
      { operation: 'connect', address: `new.example:${port}`, host: true, program: 'curl' },
    ])
  })

  it.each([
    ['listed', 'good.example', undefined],
    ['denied', 'denied.example', 'denied'],
    ['an address that is not public', '127.0.0.9', 'not-listed'],
  ])('is not asked about a host that is %s', async (_, host, reason) => {
    const { asked, approver } = approving(() => 'yes')
    const { shell, get } = await open(approver)
    const { connections } = await shell.execute(get(host))
    expect(connections?.[0]?.reason).toBe(reason)
    expect(asked).toEqual([])
  })

  it('a yes does not lead to an address that is not public', async () => {
    const { asked, approver } = approving(() => 'yes')
    const { shell, get } = await open(approver)
    const { connections } = await shell.execute(get('a-10-0-0-1.example'))
    expect(connections).toMatchObject([{ reason: 'not-public' }])
    expect(asked).toHaveLength(1)
  })

  it.each([
    ['without an approver', undefined, toml],
    ['without the setting', approving(() => 'yes').approver, ''],
  ])('%s the host is refused, and the hint names the setting', async (_, approver, settings) => {
    const { shell, port, get } = await open(approver, settings)
    const result = await shell.execute(get('new.example'))
    expect(result.connections).toMatchObject([{ reason: 'not-listed' }])
    expect(result.hint).toContain(`--allow-host new.example:${port}`)
  })

  it('the audit log has the host and the answer', async () => {
    const { port } = await webServer()
    const { shell, lines } = await openAudited({
      host: { ...thisHost(), resolver: resolveInTests },
      cwd: makeDirectory(),
      mode: 'read',
      network: [`127.0.0.1:${port}`],
      toml,
      approver: async () => 'same',
    })
    const command = `curl -sSf http://new.example:${port}/`
    await shell.execute({ command })
    await shell.execute({ command })
    const approvals = [
      { by: 'approver', asked: true, answer: 'same', standing: null },
      { by: 'approver', asked: false, answer: 'yes', standing: 'same' },
    ]
    const expected = approvals.map((approval) => [{ host: 'new.example', port, approval }])
    expect(lines().map(({ hosts }) => hosts)).toEqual(expected)
  })
})

/** The name has no address: the proxy answers 502 where it may connect, and 403 where it may not. */
const command = 'curl -so /dev/null -w %{http_code} http://absent.invalid/'

describe('asked at a terminal', () => {
  const connect = { host: 'absent.invalid', port: 80, program: 'curl' }
  const choices = approvalChoices({ connect }).trim()
  const cannotRun = listsRefused !== null || !isInstalled('tmux') || !isInstalled('curl')

  describe.skipIf(cannotRun)('[network] ask at a terminal (needs tmux)', () => {
    let terminal: Tmux

    beforeEach(() => {
      const home = new Home()
      home.configure('[network]\nask = true\n')
      terminal = new Tmux(home.env, home.directory)
      terminal.line(`vitrine() { "$NODE_PROGRAM" "$CLI_PROGRAM" "$@"; echo "[exit code $?]"; }`)
      return () => terminal.close()
    })

    it.each([
      ['y', '502'],
      ['s', '502'],
      ['n', '403'],
      ['Escape', '403'],
      ['C-c', '403'],
    ])('%s answers, and the proxy tells the program the outcome', async (key, status) => {
      terminal.line(`vitrine run --allow-host good.invalid --ask -- '${command}'`)
      expect(await terminal.shows(choices)).toContain(approvalHeading({ mode: 'read', connect }))
      terminal.key(key)
      expect(await terminal.shows('[exit code 0]')).toContain(status)
    })

    it.each([
      ['n', 1],
      ['Escape', 2],
    ])('%s: the next command asks again, or not', async (key, count) => {
      const curl = (at: number) =>
        `curl -so /dev/null -w "$((${at} * 10)):%{http_code}." http://absent.invalid/`
      terminal.line(`vitrine run --allow-host good.invalid --ask --each -- '${curl(1)}' '${curl(2)}'`)
      for (let asked = 1; asked <= count; asked++) {
        await terminal.shows(new RegExp(`(ever in this session[^]*){${asked}}`))
        terminal.key(key)
      }
      const screen = await terminal.shows('20:403.')
      expect(screen).toContain('10:403.')
      expect(screen.split(choices)).toHaveLength(count + 1)
    })
  })
})

describe.skipIf(listsRefused !== null || !isInstalled('curl')).each(eras)(
  '[network] ask with elicitation, a client of the %s era',
  (era) => {
    async function serve(answer?: string, approve = 'elicit') {
      const home = new Home()
      home.configure('[network]\nask = true\n')
      const questions: string[] = []
      const elicit = (message: string) => {
        questions.push(message)
        return answer === 'cancel'
          ? { action: 'cancel' as const }
          : { action: 'accept' as const, content: { answer: answer ?? 'n' } }
      }
      const args = ['--mode', 'read', '--approve', approve, '--allow-host', 'good.invalid', '--structured']
      const server = await connect(args, { home, era, ...(answer && { elicit }) })
      const status = async () => (await server.run({ command })).text.slice(0, 3)
      return { status, questions }
    }

    it.each([
      ['y', '502', 2],
      ['s', '502', 1],
      ['n', '403', 1],
      ['cancel', '403', 2],
    ])('%s means what the question says', async (answer, expected, count) => {
      const { status, questions } = await serve(answer)
      expect(await status()).toBe(expected)
      expect(await status()).toBe(expected)
      expect(questions).toHaveLength(count)
      for (const part of ['curl', 'absent.invalid', '80']) expect(questions[0]).toContain(part)
    })

    it.each([
      ['a client that cannot ask', undefined, 'elicit'],
      ['--approve client', 'y', 'client'],
    ])('%s gets the refusal at once', async (_what, answer, approve) => {
      const { status, questions } = await serve(answer, approve)
      expect([await status(), questions]).toEqual(['403', []])
    })
  },
)
