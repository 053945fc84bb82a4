import { type Approver, terminalApprover } from '../../internal.ts'
import { approvalNobody } from '../../messages/approval.ts'
import { prefixed } from '../../messages/cli/run.ts'
import type { Passage } from './relay.ts'
import { standardError } from './sink.ts'

/** Asks at the terminal and hides the status line meanwhile. */
export function asker(passage: Passage | undefined): Approver {
  const ask = terminalApprover({
    onAbsent: () => void standardError.write(prefixed(approvalNobody)),
  })
  const askMeanwhile: Approver = async (request, decision) => {
    passage?.end()
    try {
      return await ask(request, decision)
    } finally {
      passage?.begin()
    }
  }
  return Object.assign(askMeanwhile, { by: 'terminal' })
}
