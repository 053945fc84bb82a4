import type { Admitted } from '../admit/admission.ts'
import type { Encoding, Mode } from '../base/types.ts'
import type { ExecuteOptions } from '../request/execute-options.ts'
import type { CompleteRequest } from '../request/request.ts'
import type { RunContext } from './context.ts'
import type { Running } from './launch.ts'
import type { PrivateTmp } from './private-tmp.ts'

/** One admitted command, with everything that it takes to launch and finish it. */
export interface Execution {
  readonly request: CompleteRequest
  readonly mode: Mode
  readonly options: ExecuteOptions<Encoding>
  readonly admission: Admitted
  /** Its mode's setup, and its private directory where the setup grants one. */
  readonly tmp: PrivateTmp
  readonly context: RunContext
  /** undefined: it has not been launched. */
  running: Running | undefined
}
