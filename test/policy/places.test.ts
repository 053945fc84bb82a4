import { expect, it } from 'vitest'
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
