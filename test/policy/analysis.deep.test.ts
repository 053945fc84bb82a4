import { expect, it } from 'vitest'
import { deniedOnlyWriting } from './helper.ts'
import { readCorpus, readTable } from './rows.ts'

it('read mode in preset analysis denies what write mode denies', () => {
  const lines = [...readTable().map(({ command }) => command), ...readCorpus(), 'cat ../x', 'ls /usr/lib']
  expect(deniedOnlyWriting(lines)).toEqual([])
})
