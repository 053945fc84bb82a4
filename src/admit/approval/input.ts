import { types } from 'node:util'
import type { CompleteRequest } from '../../request/request.ts'
import type { ApprovalInput } from './approver.ts'

const maxBeginningLength = 1000

export function inputOf({ stdin, terminal }: Pick<CompleteRequest, 'stdin' | 'terminal'>): ApprovalInput {
  if (terminal) return { kind: 'unknown' }
  if (stdin === null || stdin === '') return { kind: 'none' }
  if (typeof stdin !== 'string' && !types.isUint8Array(stdin)) return { kind: 'unknown' }
  const bytes = Buffer.from(stdin)
  // Loaded late: it costs start-up time.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return {
    kind: 'given',
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    beginning: bytes.toString('utf8', 0, maxBeginningLength),
    complete: bytes.length <= maxBeginningLength,
  }
}
