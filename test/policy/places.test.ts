import { expect, it } from 'vitest'
import type { Approver } from '../../src/admit/approver.ts'
import { openTestShell } from '../helpers/place.ts'

const toml = `[policy]
deny = [
  "first",
  "forbidden",
]

[[policy.rule]]
prefix = ["asked"]
verdict = "ask"
reason = "mine"
`

it('a denied command says which line denies it', async () => {
  const shell = await openTestShell({ mode: 'read', toml })
  const denied = await shell.execute({ command: 'forbidden x' }).catch((error: unknown) => error)
  expect(denied).toMatchObject({
    code: 'DENIED',
    refusal: {
      decision: {
        matches: expect.arrayContaining([
          expect.objectContaining({ source: expect.stringMatching(/config\.toml:4$/) }),
        ]),
      },
    },
  })
})

it('the question to the approver names its place, and so does shell.decide', async () => {
  const sources: string[][] = []
  const approver: Approver = async (_, { matches }) => {
    sources.push(matches.map(({ source }) => source))
    return 'no'
  }
  const shell = await openTestShell({ mode: 'write', toml, approver })
  await expect(shell.execute({ command: 'asked' })).rejects.toMatchObject({ code: 'NOT_APPROVED' })
  const { matches } = await shell.decide({ command: 'asked' })
  sources.push(matches.map(({ source }) => source))
  for (const found of sources) expect(found).toContainEqual(expect.stringMatching(/config\.toml:\d+$/))
})
