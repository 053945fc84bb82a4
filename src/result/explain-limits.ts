import type { Limit } from './result.ts'

const reached: Readonly<Record<Limit, string>> = {
  memory: 'it used more memory than [limits] memory_bytes',
  cpu: 'it used more CPU time than [limits] cpu_seconds',
  processes: 'it had more processes than [limits] processes',
  private_tmp: 'its private TMPDIR grew over [limits] private_tmp_bytes',
}

/** Which limit was reached. */
export function limitReached(limit: Limit): string {
  return reached[limit]
}
