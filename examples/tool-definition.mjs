// A tool for any framework: a name, a description, parameters as JSON Schema, and a function that runs it.
import { openShell } from 'vitrine'
import { runTool, toolDefinition } from 'vitrine/tool'

const shell = await openShell({ cwd: import.meta.dirname, mode: 'read' })
console.log(JSON.stringify(toolDefinition(shell), null, 2))

// What a model would give as the arguments of its call:
for (const input of [{ command: 'ls *.mjs | wc -l' }, { command: 'touch new-file', timeout_ms: 5000 }]) {
  const { text, result } = await runTool(shell, input)
  console.log(`\n$ ${input.command}\n${text}\n(exit code ${result.exitCode})`)
}
await shell.close()
