import { checkShell, checkTimeout, pathsOfShell } from '../checks/wrappers.ts'
import { safe, safeForms } from './safe.ts'

const none = { are: 'words', most: 0 } as const

/** Its command is checked separately. `--max-lines` is left out: its value is optional, so the next word may be the program. */
export const xargs = safe('xargs', {
  operands: none,
  options: {
    flags: '-0rtx --null --no-run-if-empty --verbose --exit',
    valued: '-n -L -P -I -s -d -E --max-args --max-procs --max-chars --delimiter',
    files: '-a --arg-file',
  },
})

/** Programs that start another, by their own words; command/wrappers.ts locates the other. */
export const wrapperRules = [
  xargs,
  ...['sh', 'bash', 'dash'].map((name) => safeForms(name, { check: checkShell, paths: pathsOfShell })),
  safe('timeout', {
    operands: { are: 'words' },
    check: checkTimeout,
    options: {
      flags: '-v --verbose --foreground --preserve-status',
      valued: '-k -s --kill-after --signal',
    },
  }),
  safe('nice', { operands: none, options: { valued: '-n --adjustment', numbers: true } }),
  safe('stdbuf', { operands: none, options: { valued: '-i -o -e --input --output --error' } }),
  // -o writes.
  safe('time', { operands: none, options: { flags: '-pv --portability --verbose', valued: '-f --format' } }),
]
