import { expect, it } from 'vitest'
import { Plans } from '../../src/admit/plans.ts'
import type { RequestToDecide } from '../../src/policy/decide/plan.ts'

const given = { mode: 'write', cwd: '/project', home: '/home' } as const

function lineOf(line: string, more: Partial<RequestToDecide> = {}): RequestToDecide {
  return { ...given, work: { kind: 'line', line }, ...more }
}

it('plans a line once for a directory and a mode', () => {
  const plans = new Plans()
  const plan = plans.of(lineOf('cat a'))
  expect(plans.of(lineOf('cat a'))).toBe(plan)
  expect([...plan.needed.paths]).toEqual(['/project', '/project/a'])
  expect(plans.of(lineOf('cat a', { cwd: '/other' })).needed.paths).toEqual(['/other', '/other/a'])
  expect(plans.of(lineOf('cat a', { mode: 'read' })).needed.programs).toEqual([])
  expect(plan.needed.programs).toEqual(['cat'])
})

it('plans a line anew for each value of a variable that it names', () => {
  const plans = new Plans()
  const pathsWith = (value: string | undefined) =>
    plans.of(lineOf('cat "$X"', { variableValue: () => value })).needed.paths
  expect(pathsWith('one')).toContain('/project/one')
  expect(pathsWith('two')).toContain('/project/two')
  expect(plans.of(lineOf('cat "$X"')).needed.paths).toEqual(['/project'])
  expect(pathsWith('three')).toContain('/project/three')
})

it('plans a line anew for each variable of the command', () => {
  const plans = new Plans()
  const assigned = (variables: Readonly<Record<string, string>>) => {
    const [step] = plans.of(lineOf('cat a', { variables })).request.steps
    return step?.command.assignments.map(({ name, value }) => `${name}=${value.value}`)
  }
  const given = [{}, { A: '1' }, { A: '2' }, { B: '1' }, {}]
  expect(given.map(assigned)).toEqual([[], ['A=1'], ['A=2'], ['B=1'], []])
})
