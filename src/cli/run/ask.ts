import { type Approver, terminalApprover } from '../../internal.ts'
import { approvalWithoutTerminal } from '../../messages/approval.ts'
import { prefixed } from '../../messages/cli/run.ts'
import type { OutputRelay } from './relay.ts'
import { standardError } from './sink.ts'

/** Asks at the terminal and hides the status line meanwhile. */
export function askingApprover(relay: OutputRelay | undefined): Approver {
  const ask = terminalApprover({
    onAbsent: () => void standardError.write(prefixed(approvalWithoutTerminal)),
  })
  const askMeanwhile: Approver = async (request, decision) => {
    relay?.end()
    try {
      return await ask(request, decision)
    } finally {
      relay?.begin()
    }
  }
  return Object.assign(askMeanwhile, { by: 'terminal' })
}
