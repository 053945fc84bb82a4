import * as v from 'valibot'
import { wanted } from '../messages/wanted.ts'
import { integer, listMatching, listOf, oneOf, textValue } from './field.ts'

/** More arguments than the kernel passes to a program. */
const maxOperands = 1_000_000
// Other entries never match: a whole command line, and an option without its dash or with a value.
const WORD = /^(?:\.{0,2}\/.*|\S+)$/
const OPTION = /^-[^\s=]+$/

const entries = () => ({
  prefix: v.pipe(listMatching(wanted.ruleWord, WORD), v.nonEmpty(wanted.ruleWords)),
  verdict: oneOf('allow', 'ask', 'deny'),
  reason: v.optional(textValue(), ''),
  match: v.optional(listOf(wanted.ruleLine), []),
  not_match: v.optional(listOf(wanted.ruleLine), []),
  allow_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  ask_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  deny_options: v.exactOptional(listMatching(wanted.ruleOption, OPTION)),
  operands: v.exactOptional(integer(0, maxOperands)),
})

export const policyRuleKeys = () => Object.keys(entries())

export const policyRule = () => v.strictObject(entries(), wanted.rule(policyRuleKeys()))

/** A rule that loosens the policy. */
export const allowRule = () => v.looseObject({ verdict: v.literal('allow') })
