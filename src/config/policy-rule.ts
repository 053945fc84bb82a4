import * as v from 'valibot'
import { wanted } from '../messages/wanted.ts'
import { integer, listOf, oneOf, textValue } from './field.ts'

/** More arguments than the kernel passes to a program. */
const maxOperands = 1_000_000

const entries = () => ({
  prefix: v.pipe(listOf(wanted.ruleWord), v.nonEmpty(wanted.ruleWords)),
  verdict: oneOf('allow', 'ask', 'deny'),
  reason: v.optional(textValue(), ''),
  match: v.optional(listOf(wanted.ruleLine), []),
  not_match: v.optional(listOf(wanted.ruleLine), []),
  allow_options: v.exactOptional(listOf(wanted.ruleOption)),
  ask_options: v.exactOptional(listOf(wanted.ruleOption)),
  deny_options: v.exactOptional(listOf(wanted.ruleOption)),
  operands: v.exactOptional(integer(0, maxOperands)),
})

export const policyRuleKeys = () => Object.keys(entries())

export const policyRule = () => v.strictObject(entries(), wanted.rule(policyRuleKeys()))

/** A rule that loosens the policy. */
export const allowRule = () => v.looseObject({ verdict: v.literal('allow') })
