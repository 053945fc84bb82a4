import type { Refusal } from '../base/refusal.ts'
import { VitrineError } from '../messages/error.ts'
import type { Sandbox } from './sandbox.ts'

export function unavailableSandbox(refusal: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>): Sandbox {
  return {
    confine() {
      throw new VitrineError(refusal)
    },
    enforcement: () => ({}),
  }
}
