import { describe, expect, it } from 'vitest'
import { tighten } from '../../src/config/tighten.ts'

const of = (inForce: unknown, offered: unknown) => tighten({ kind: 'hosts' }, inForce, offered)

describe('a list of hosts of an untrusted project', () => {
  it('loses each entry that the user does not allow, wherever it stands', () => {
    const offered = [
      'a.example',
      'b.example',
      'a.example:22',
      '*.a.example',
      'x.wild.example',
      'wild.example',
    ]
    expect(of(['a.example', '*.wild.example'], offered)).toEqual({
      value: ['a.example', 'x.wild.example'],
      ignored: [1, 2, 3, 5].map((index) => ({ index, why: 'loosens' })),
    })
  })

  it('is taken where the user allows everything', () => {
    expect(of(true, ['a.example'])).toEqual({ value: ['a.example'], ignored: [] })
  })

  it('is not taken where the user allows nothing, but for an empty one', () => {
    expect(of(false, ['a.example'])).toEqual({ value: false, ignored: [{ why: 'loosens' }] })
    expect(of(false, [])).toEqual({ value: false, ignored: [] })
  })

  it('does not become everything', () => {
    expect(of(['a.example'], true)).toEqual({ value: ['a.example'], ignored: [{ why: 'loosens' }] })
    expect(of(['a.example'], false)).toEqual({ value: false, ignored: [] })
  })
})
