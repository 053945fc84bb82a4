import * as v from 'valibot'
import { integer, listOf, oneOf, textValue } from './field.ts'

/** More arguments than the kernel passes to a program. */
const maxOperands = 1_000_000

export const policyRule = v.strictObject(
  {
    prefix: v.pipe(listOf('a word'), v.nonEmpty('a list of words, not empty')),
    verdict: oneOf('allow', 'ask', 'deny'),
    reason: v.optional(textValue(), ''),
    match: v.optional(listOf('a command line'), []),
    not_match: v.optional(listOf('a command line'), []),
    allow_options: v.exactOptional(listOf('an option')),
    ask_options: v.exactOptional(listOf('an option')),
    deny_options: v.exactOptional(listOf('an option')),
    operands: v.exactOptional(integer(0, maxOperands)),
  },
  'a table with prefix, verdict, reason, match, not_match, allow_options, ask_options, deny_options, operands',
)

export const policyRuleKeys = Object.keys(policyRule.entries)

/** A rule that loosens the policy. */
export const allowRule = v.looseObject({ verdict: v.literal('allow') })
