import type { SyntaxNode } from 'unbash'
import { literalWord, type Word } from './line.ts'
import { wordOf } from './words.ts'

type Condition = Extract<SyntaxNode, { type: 'TestCommand' }>['expression']

/** With one operator. `undefined` for several, and for `<` and `>`, which dash reads as redirects. */
export function conditionWords(condition: Condition): readonly Word[] | undefined {
  switch (condition.type) {
    case 'TestUnary':
      return [literalWord(condition.operator), wordOf(condition.operand)]
    case 'TestBinary': {
      const { left, operator, right } = condition
      return operator === '<' || operator === '>'
        ? undefined
        : [wordOf(left), literalWord(operator), wordOf(right)]
    }
    case 'TestNot': {
      const inner = condition.negations.length === 1 ? conditionWords(condition.operand) : undefined
      return inner && [literalWord('!'), ...inner]
    }
    default:
      return undefined
  }
}
