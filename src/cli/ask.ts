import { type Approver, terminalApprover } from '../index.ts'
import { approvalNobody } from '../result/explain-approval.ts'
import { prefixed } from '../result/explain-cli.ts'
import type { Passage } from './passage.ts'
import { standardError } from './sink.ts'

/** Asks at the terminal. Meanwhile the line that says a command runs is not shown. */
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
