// A host to be killed: runs a command that leaves a child, and writes the child's process id.
import { writeSync } from 'node:fs'
import { acceptAnyLevel, actor } from './place.mjs'

acceptAnyLevel()
const { openShell } = await import('../../dist/index.js')
const shell = await openShell({ mode: 'read' })
const onOutput = (_stream, chunk) => {
  writeSync(1, chunk)
}
await shell.execute({ argv: [actor, 'leave-and-sleep'], timeoutMs: 60_000 }, { onOutput })
