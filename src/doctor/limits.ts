import type { Result } from '../internal.ts'
import type { Check } from './check.ts'
import type { CheckSettings } from './diagnosis.ts'

type Row = readonly [
  name: string,
  settings: CheckSettings,
  command: string,
  holds: (result: Result) => boolean,
]

const rows: readonly Row[] = [
  [
    'fill more memory',
    { 'limits.memory_bytes': 67_108_864 },
    'head -c 250000000 /dev/zero | tail -c 249000000 | wc -c',
    ({ limited }) => limited === 'memory',
  ],
  [
    'use more CPU time',
    { 'limits.cpu_seconds': 1 },
    'while :; do :; done',
    ({ limited }) => limited === 'cpu',
  ],
  [
    'have more processes',
    { 'limits.processes': 4 },
    'for i in 1 2 3 4 5 6 7 8; do sleep 9 & done; wait',
    ({ limited }) => limited === 'processes',
  ],
  [
    'open more files',
    { 'limits.open_files': 8 },
    'ulimit -Sn; ulimit -Hn',
    ({ stdout }) => stdout === '8\n8\n',
  ],
]

export const limitChecks: readonly Check[] = rows.map(([name, settings, command, holds]) => ({
  right: 'limits',
  name,
  settings,
  async run({ read }) {
    const result = await read.execute({ command, timeoutMs: 15_000 })
    return { state: holds(result) ? 'enforced' : 'open', said: result.stderr }
  },
}))
