import { expect, it } from 'vitest'
import { answersTo } from '../../src/admit/approver.ts'
import { answerIn } from '../../src/admit/terminal.ts'

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
  expect(answerIn(Buffer.from(keys), answersTo({}))).toBe(answer)
})

it.each([
  [
    'about a host',
    { connect: { host: 'a.example', port: 443, program: 'curl' } },
    ['yes', undefined, 'same', 'no'],
  ],
  ['for once', { once: true }, ['yes', undefined, undefined, 'no']],
])('a question %s takes only the answers that it offers', (_, question, expected) => {
  const offered = answersTo(question)
  expect(['y', 'a', 's', 'n'].map((key) => answerIn(Buffer.from(key), offered))).toEqual(expected)
})
