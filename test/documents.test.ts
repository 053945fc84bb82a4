import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repository } from './helpers/programs.ts'

const documents = ['.', 'docs', 'examples'].flatMap((directory) =>
  readdirSync(join(repository, directory))
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(directory, name)),
)
const linesOf = (document: string) => readFileSync(join(repository, document), 'utf8').split('\n')

/** Commands that run what the registry has under the name, whoever published it. */
const fetching =
  /\bnpx (-\S+ )*vitrine\b|["']npx["'].*["']vitrine["']|\bnpm (i|install|add|exec) (-\S+ )*vitrine(?!-)\b/

describe('documents', () => {
  it('name the tarball, and the registry only as "once published"', () => {
    const lines = documents.flatMap((document) => linesOf(document).map((line) => `${document}: ${line}`))
    expect(lines.filter((line) => line.includes('./vitrine-*.tgz')).length).toBeGreaterThan(1)
    const wrong = lines.filter((line) => fetching.test(line) && !/once published: [^;]*$/.test(line))
    expect(wrong).toEqual([])
  })

  it.each(['npx -y vitrine mcp', 'npm i -g vitrine', '"command": "npx", "args": ["-y", "vitrine"]'])(
    'would be noticed: %s',
    (line) => expect(line).toMatch(fetching),
  )
})
