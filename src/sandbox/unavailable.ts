import type { Refusal } from '../base/refusal.ts'
import { VitrineError } from '../messages/error.ts'
import type { Sandbox } from './sandbox.ts'

/** No sandbox on this host: read mode is refused with the reason. */
export function unavailableSandbox(refusal: Extract<Refusal, { code: 'SANDBOX_UNAVAILABLE' }>): Sandbox {
  return {
    confine() {
      throw new VitrineError(refusal)
    },
    enforcement: () => ({}),
  }
}
