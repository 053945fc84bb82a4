import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Attempt } from './attempt.ts'

const content = 'a throw-away secret'

function reading(file: string): Pick<Awaited<ReturnType<Attempt['prepare']>>, 'request' | 'touched'> {
  writeFileSync(file, content)
  return { request: { argv: ['cat', file] }, touched: ({ stdout }) => stdout === content }
}

const secret: Attempt = {
  right: 'unreadable',
  name: 'read an .env file',
  settings: { 'shell.unreadable': ['secrets'] },
  prepare: (directory) => reading(join(directory, '.env')),
}

const outside: Attempt = {
  right: 'reads',
  name: 'read a file outside of the workspace',
  settings: { 'shell.reads': 'workspace' },
  prepare() {
    const elsewhere = mkdtempSync(join(tmpdir(), 'vitrine-doctor-'))
    const clear = () => rmSync(elsewhere, { recursive: true, force: true })
    return { ...reading(join(elsewhere, 'file')), clear }
  },
}

export const readAttempts: readonly Attempt[] = [secret, outside]
