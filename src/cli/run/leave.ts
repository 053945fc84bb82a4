import { leave } from '../../internal.ts'
import { isCompileCacheWritten } from '../compile-cache.ts'

/**
 * Has the process end right after the other listeners of `exit`: Node's own teardown takes as long as a command. It stays where
 * options of Node, such as those for profiles and coverage, write their results there.
 */
export function leaveEarly(): void {
  const { env, execArgv } = process
  const isPlain = execArgv.length === 0 && !env['NODE_OPTIONS'] && !env['NODE_V8_COVERAGE']
  if (isPlain && isCompileCacheWritten()) process.once('exit', leave)
}
