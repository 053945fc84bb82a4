import { exitAtOnce } from '../../internal.ts'

/**
 * Leaves out Node's clean-up at the end, unless it may have something to write then: what an option of Node asks for, the
 * coverage, and from Node 22 on the compiled code.
 */
export function exitSoon(): void {
  const { env, execArgv, versions } = process
  const writes = execArgv.length > 0 || env['NODE_OPTIONS'] || env['NODE_V8_COVERAGE']
  if (!writes && Number.parseInt(versions.node, 10) < 22) exitAtOnce()
}
