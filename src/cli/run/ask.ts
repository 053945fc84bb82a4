import { type Approver, terminalApprover } from '../../internal.ts'
import { tell } from '../output.ts'
import type { OutputRelay } from './relay.ts'

/** Asks at the terminal and hides the status line meanwhile. */
export function askingApprover(relay: OutputRelay | undefined): Approver {
  const ask = terminalApprover({
    onAbsent: () => void tell('there is no terminal to ask at, so the answer is no'),
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
