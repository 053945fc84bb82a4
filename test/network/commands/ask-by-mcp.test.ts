import { describe, expect, it } from 'vitest'
import { Home } from '../../cli/vitrine.ts'
import { isInstalled } from '../../helpers/programs.ts'
import { connect, eras } from '../../mcp/connect.ts'
import { listsRefused } from './surroundings.ts'

/** The name has no address: the proxy answers 502 where it may connect, and 403 where it may not. */
const command = 'curl -so /dev/null -w %{http_code} http://absent.invalid/'

describe.skipIf(listsRefused !== null || !isInstalled('curl')).each(eras)(
  '[network] ask with elicitation, a client of the %s era',
  (era) => {
    async function serve(
      answer: string | undefined,
      approve = 'elicit',
      action: 'accept' | 'cancel' = 'accept',
    ) {
      const home = new Home()
      home.configure('[network]\nask = true\n')
      const questions: string[] = []
      const elicit = (message: string) => {
        questions.push(message)
        return action === 'accept' ? { action, content: { answer: answer ?? 'n' } } : { action }
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
    ])('%s means what the question says', async (answer, expected, count) => {
      const { status, questions } = await serve(answer)
      expect(await status()).toBe(expected)
      expect(await status()).toBe(expected)
      expect(questions).toHaveLength(count)
      for (const part of ['curl', 'absent.invalid', '80']) expect(questions[0]).toContain(part)
    })

    it('a cancelled question refuses the host in this command only', async () => {
      const { status, questions } = await serve('y', 'elicit', 'cancel')
      expect(await status()).toBe('403')
      expect(await status()).toBe('403')
      expect(questions).toHaveLength(2)
    })

    it('a client that cannot ask gets the refusal at once', async () => {
      const { status } = await serve(undefined)
      expect(await status()).toBe('403')
    })

    it('--approve client asks nothing', async () => {
      const { status, questions } = await serve('y', 'client')
      expect(await status()).toBe('403')
      expect(questions).toEqual([])
    })
  },
)
