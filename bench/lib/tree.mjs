// A source tree to search: some 20,000 files, committed to git, the same each time.
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { numbers } from './numbers.mjs'

const words = 'alpha beta gamma delta return const function import value index buffer state error'.split(' ')

/** @param {(limit: number) => number} random @param {number} lines */
function text(random, lines) {
  const line = () => Array.from({ length: 4 + random(8) }, () => words[random(words.length)]).join(' ')
  return `${Array.from({ length: lines }, line).join('\n')}\n`
}

/**
 * @param {string} root a directory that is there
 * @param {{ directories: number, files: number, git: boolean }} size `files` in each directory
 */
export function makeTree(root, { directories, files, git }) {
  const random = numbers()
  for (let directory = 0; directory < directories; directory++) {
    const path = join(root, `package-${directory % 20}`, `module-${directory}`)
    mkdirSync(path, { recursive: true })
    for (let file = 0; file < files; file++) {
      const needle = random(200) === 0 ? 'the needle\n' : ''
      writeFileSync(join(path, `file-${file}.txt`), text(random, 5 + random(90)) + needle)
    }
  }
  if (git) commitAll(root)
}

/** @param {string} root */
function commitAll(root) {
  const settings = ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', '-c', 'commit.gpgsign=false']
  const run = (/** @type {string[]} */ ...args) =>
    execFileSync('git', [...settings, '-c', 'gc.auto=0', ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  run('init', '-q')
  run('add', '.')
  run('commit', '-q', '-m', 'a tree to search')
}
