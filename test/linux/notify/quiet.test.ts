import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isInstalled } from '../../helpers/programs.ts'
import { makeProject } from './quiet.ts'

const { home, run } = makeProject()

const silent = [
  'git describe --dirty',
  'less README.md',
  'node -e \'require("module").enableCompileCache?.()\'',
  "sqlite3 plain.db 'select * from t'",
  'getent hosts localhost',
]

describe('a command that ended with 0 and did without what was refused', () => {
  it.each(silent)('%s: stderr holds nothing of ours', async (line) => {
    if (!isInstalled(line.split(' ')[0] ?? '')) return
    const { code, own } = await run(line)
    expect({ code, own }).toEqual({ code: 0, own: [] })
  })
})

describe('a command that ended with 0 and whose refusals may matter', () => {
  it.each([
    'echo x > new; true',
    'git update-index --refresh; echo $?', // git says that it failed
    'mkdir a b c 2>/dev/null; rm README.md; true',
    'curl -s http://127.0.0.1:9/; echo $?',
    'getent hosts nowhere.example; echo $?',
    'touch .cache/x 2>/dev/null; true',
    "python3 -c 'import tempfile; tempfile.TemporaryFile()' 2>/dev/null; true",
  ])('%s: one line tells', async (line) => {
    if (!isInstalled(line.split(' ')[0] ?? '')) return
    mkdirSync(join(home.directory, '.cache'), { recursive: true })
    const { code, own } = await run(line)
    expect(code).toBe(0)
    expect(own).toHaveLength(1)
  })
})

describe('a command that failed', () => {
  it.each([
    ['touch new', ['new']],
    ['mkdir a b c', ['a', 'b', 'c']],
    ['rm README.md data.csv; exit 3', ['README.md', 'data.csv']],
  ])('%s: each refusal is told once', async (line, names) => {
    const { code, own } = await run(line)
    expect(code).not.toBe(0)
    for (const name of names) {
      const path = join(home.directory, name)
      expect(own.filter((text) => new RegExp(`(create|delete|write) ${path}[ ;]`).test(text))).toHaveLength(1)
    }
  })
})
