import type { Refusal } from '../errors.ts'
import { describeConfigProblem } from './explain-config.ts'

/** Says why nothing ran, and what to do. */
export function describeRefusal(refusal: Refusal): string {
  return refusal.code === 'CONFIG_INVALID' ? describeConfigProblem(refusal) : refusal.code
}
