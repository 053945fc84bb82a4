import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { VitrineError } from '../../src/messages/error.ts'
import { makePlace } from './place.ts'

// hostile.deep.test.ts has larger ones.
it('1000 unreadable paths all count', async () => {
  const place = makePlace()
  const paths = Array.from({ length: 1000 }, (_, index) => `/hostile/${index}`)
  place.write(place.projectFile, `[shell]\nunreadable = ${JSON.stringify(paths)}\n`)
  expect((await place.load()).config.shell.unreadable).toEqual(paths)
})

it.each(['__proto__', 'constructor', 'toString'])('a table named %s reaches no prototype', async (name) => {
  const place = makePlace()
  place.write(place.projectFile, `[env.set.${name}]\nmode = "write"\n`)
  await expect(place.load()).rejects.toThrow(VitrineError)
  expect(Reflect.get({}, 'mode')).toBeUndefined()
})

it.each([
  ['is no TOML', 'machine example.com login me password hunter2'],
  ['has an unknown key', 'password = "hunter2"'],
])('a project file that links to a secret which %s quotes nothing of it', async (_, text) => {
  const place = makePlace()
  const secret = place.write(join(place.home, 'secret'), `${text}\n`)
  symlinkSync(secret, place.projectFile)
  const refusal = await place.refusal()
  expect(refusal.line).toBeGreaterThan(0)
  expect(JSON.stringify(refusal)).not.toContain('hunter2')
  place.write(place.userFile, `${text}\n`)
  expect(JSON.stringify(await place.refusal())).toContain('hunter2')
})
