import { expect, it } from 'vitest'
import { answerIn } from '../../src/admit/approval/keys.ts'

it.each([
  ['y', 'yes'],
  ['Y', 'yes'],
  ['n', 'no'],
  ['a', 'all'],
  ['s', 'same'],
  ['\r', 'no'],
  ['\u0003', 'no'],
  ['\u0004', 'no'],
  ['\u001b', 'no'],
  ['\u001b[A', 'no'],
  // What a terminal answers when some output asks it for its title, which that output has set.
  ['\u001b]ly\u001b\\', 'no'],
  ['ls\u0003', 'no'],
  ['yes', undefined],
  ['y\r', undefined],
  ['sudo true', undefined],
  ['x', undefined],
  ['ý', undefined],
  ['', undefined],
])('%j', (keys, answer) => {
  expect(answerIn(Buffer.from(keys))).toBe(answer)
})
