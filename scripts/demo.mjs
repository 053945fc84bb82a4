// Shows the main job on a temporary copy of this repository: look in read mode, be refused, change in write mode.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { openShell } from '../dist/index.js'
import { root } from './freshness.mjs'

const colour = process.stdout.isTTY
const paint = (code, text) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
const leftOut = new Set(['node_modules', 'build', 'dist', 'prebuilds'])

function copyRepository() {
  const copy = mkdtempSync(join(tmpdir(), 'vitrine-demo-'))
  cpSync(root, copy, { recursive: true, filter: (path) => !leftOut.has(relative(root, path)) })
  // A source archive has no history: the demo makes one, so that git has something to show.
  if (!existsSync(join(copy, '.git'))) {
    for (const args of [
      ['init', '-q'],
      ['add', '-A'],
      [...identity, 'commit', '-qm', 'A copy'],
    ])
      spawnSync('git', args, { cwd: copy })
  }
  return copy
}

const identity = ['-c', 'user.name=demo', '-c', 'user.email=demo@example.invalid']

async function show(shell, command) {
  const { output, exitCode, durationMs, hint } = await shell.execute({ command, merged: true })
  console.log(paint('1', `[${shell.mode}] $ ${command}`))
  const lines = output.trimEnd().split('\n')
  for (const line of lines.slice(0, 6)) if (line) console.log(`    ${line}`)
  if (lines.length > 6) console.log(`    ... ${lines.length - 6} more lines`)
  const verdict = exitCode === 0 ? paint('32', 'exit 0') : paint('31', `exit ${exitCode}`)
  console.log(`    ${verdict} in ${durationMs.toFixed(1)} ms${hint ? `: ${hint}` : ''}\n`)
  return exitCode
}

function expect(condition, what) {
  if (condition) return
  console.error(paint('31', `The demo did not go as it should: ${what}`))
  process.exitCode = 1
}

const copy = copyRepository()
const shell = await openShell({ cwd: copy, mode: 'read' })
try {
  const readme = join(copy, 'README.md')
  const before = statSync(readme)
  console.log('Read mode looks at everything:\n')
  for (const command of [
    'git log -5 --oneline',
    'grep -rn "openShell" src --include=*.ts | head -5',
    `node -e 'console.log(Object.keys(require("./package.json")).join(" "))'`,
  ])
    expect((await show(shell, command)) === 0, `"${command}" failed`)

  console.log('... and touches nothing:\n')
  const write = 'echo "seen by an agent" >> README.md'
  for (const command of [
    write,
    'chmod 777 README.md',
    `git ${identity.join(' ')} commit --allow-empty -m "made by an agent"`,
    `node -e 'require("net").connect(9, "127.0.0.1")'`,
  ])
    expect((await show(shell, command)) !== 0, `"${command}" was not refused`)
  const after = statSync(readme)
  expect(after.size === before.size && after.mode === before.mode, 'README.md changed')

  console.log('Write mode runs without the sandbox:\n')
  shell.mode = 'write'
  expect((await show(shell, `${write} && tail -1 README.md`)) === 0, 'the write failed in write mode')
  expect(statSync(readme).size > before.size, 'the write left no trace')
} finally {
  await shell.close()
  rmSync(copy, { recursive: true, force: true })
}
