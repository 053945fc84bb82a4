import { VitrineError } from '../errors.ts'
import type { Sandbox } from './sandbox.ts'

/** No sandbox on this host: read mode is refused with the reason. */
export function unavailableSandbox(wanted: string, got: string, remedy: string): Sandbox {
  return {
    confine() {
      throw new VitrineError({ code: 'SANDBOX_UNAVAILABLE', wanted, got, remedy })
    },
    enforcement: () => ({}),
  }
}
