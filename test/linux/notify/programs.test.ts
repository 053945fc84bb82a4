import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { makeDirectory, openTestShell } from '../../helpers/place.ts'

describe.runIf(process.platform === 'linux')('a denial', () => {
  it('tells the program, and each program that tried the same has one', async () => {
    const path = join(makeDirectory(), 'made')
    const shell = await openTestShell({ mode: 'read' })
    const command = `cp /dev/null ${path}; tee ${path} < /dev/null; cp /dev/null ${path}`
    const { denials } = await shell.execute({ command })
    expect(
      denials.map(({ operation, program, count, ...rest }) => [operation, rest.path, program, count]),
    ).toEqual([
      ['create', path, 'cp', 2],
      ['create', path, 'tee', 1],
    ])
  })

  it('tells each operation and each path', async () => {
    const directory = makeDirectory()
    const shell = await openTestShell({ mode: 'read' })
    const command = `cd ${directory}; mkdir a; mkdir b; rmdir .; mkdir a`
    const { denials } = await shell.execute({ command })
    expect(denials.map(({ operation, path, count }) => [operation, path, count])).toEqual([
      ['create', join(directory, 'a'), 2],
      ['create', join(directory, 'b'), 1],
    ])
  })
})
