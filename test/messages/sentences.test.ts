import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { repository } from '../helpers/programs.ts'

/** The tables whose rows keep their own text, and scripts for other programs (ARCHITECTURE.md, "Folders of src/"). */
const tables = [
  'config/schema.ts',
  'config/keys/',
  'doctor/',
  'cli/completion/scripts.ts',
  'mcp/install/clients.ts',
]
/** Their arguments are words of command lines. */
const lists = ['words', 'safeAll', 'versionForms']
/** A right of `Result.enforcement` that reads like a sentence. */
const names = ['death of the host']

const root = join(repository, 'src')
const paths = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))

function literalsIn(path: string, text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && lists.includes(node.expression.getText())) return
    if (ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)) found.push(node.getText().slice(1, -1))
    node.forEachChild(visit)
  }
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true))
  return found
}

/** Four words in a row, or a blank and a full stop. A script for another program begins with a line feed. */
function isSentence(text: string): boolean {
  const isScript = text.startsWith('\n') || text.startsWith('\\n')
  return (
    !isScript && !names.includes(text) && /(?<![\w-])[a-z]{2,}(?: [a-z]{2,}){3}| .*[a-z}"')]\.$/.test(text)
  )
}

describe('a sentence that a person reads', () => {
  it('stands in src/messages/, or is a row of a table that ARCHITECTURE.md names', () => {
    const elsewhere = paths
      .filter((path) => !['messages/', ...tables].some((beginning) => path.startsWith(beginning)))
      .flatMap((path) =>
        literalsIn(path, readFileSync(join(root, path), 'utf8'))
          .filter(isSentence)
          .map((text) => `${path}: ${text}`),
      )
    expect(elsewhere).toEqual([])
  })

  it.each(tables)('the table %s is named in ARCHITECTURE.md, and exists', (table) => {
    const text = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8')
    expect(text.includes(`\`${table}\``)).toBe(true)
    expect(paths.some((path) => path.startsWith(table))).toBe(true)
  })

  it.each([
    ["fail('the engine does not answer')", 'the engine does not answer'],
    ["fail('Nothing ran.')", 'Nothing ran.'],
  ])('is found in %s', (code, sentence) => {
    expect(literalsIn('a.ts', code).filter(isSentence)).toEqual([sentence])
  })

  it('is not a list of words, a script or a key', () => {
    const code = "words('ls find stat file'); run(`\\nif command -v git then exit`); at['file contents']"
    expect(literalsIn('a.ts', code).filter(isSentence)).toEqual([])
  })
})
