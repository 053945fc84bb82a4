import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { isInstalled } from '../helpers/programs.ts'

const files: Readonly<Record<string, string | Uint8Array>> = {
  'README.md': '# Fixture\n\nA small repository to look at.\nThe answer is in src/main.py.\n',
  '.gitignore': 'build/\n',
  'src/main.py': 'def answer():\n    return 42\n\n\nif __name__ == "__main__":\n    print(answer())\n',
  'src/hello.c': '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n',
  'src/deep/er.py': 'answer = 41\n',
  'build/out.o': 'ignored\n',
  'data.csv': 'pear,3\napple,12\npear,7\nplum,1\n',
  'data.json': '{"items": [{"name": "pear"}, {"name": "plum"}]}\n',
  'broken.json': '{"items": [\n',
  'data.bin': Uint8Array.from({ length: 4096 }, (_, at) => (at * 7) % 256),
  'numbers.txt': Array.from({ length: 1000 }, (_, at) => `${String(at + 1).padStart(4, '0')}\n`).join(''),
  'text.gz': gzipSync('first\nsecond\nthird\n'),
  Makefile:
    'all: hello again\nhello:\n\t@echo hello\nagain:\n\t@echo again\nbuilt: src/hello.c\n\tcc -o $@ $<\n',
  'package.json': '{ "name": "fixture", "version": "1.0.0", "private": true }\n',
  'passes.js': "require('node:test').test('passes', () => {})\n",
  'passes.py': 'import unittest\n\n\nclass Passes(unittest.TestCase):\n    def test(self):\n        pass\n',
  'go/go.mod': 'module example.com/fixture\n\ngo 1.19\n',
  'go/main.go': 'package main\n\nfunc main() {}\n',
  'rust/Cargo.toml': '[package]\nname = "fixture"\nversion = "1.0.0"\nedition = "2021"\n',
  'rust/src/main.rs': 'fn main() {}\n',
  'build.ninja': 'rule cc\n  command = cc -o $out $in\nbuild hello.out: cc src/hello.c\n',
  'gpg/.keep': '',
  'fork.js':
    "if (process.argv[2]) process.send('from the child')\n" +
    "else require('child_process').fork(__filename, ['child']).on('message', console.log)\n",
}

function write(directory: string, name: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(directory, name)), { recursive: true })
  writeFileSync(join(directory, name), content)
}

/** Fills a directory with a repository that has some history, a branch, a tag, a stash and changes. */
export function fillFixture(directory: string): void {
  for (const [name, content] of Object.entries(files)) write(directory, name, content)
  symlinkSync('src/main.py', join(directory, 'link'))
  execFileSync('tar', ['-czf', 'archive.tar.gz', 'README.md', 'src'], { cwd: directory })
  if (isInstalled('sqlite3')) fillDatabases(directory)
  if (isInstalled('git')) fillHistory(directory)
  if (isInstalled('zip')) execFileSync('zip', ['-q', 'archive.zip', 'README.md'], { cwd: directory })
  if (isInstalled('cargo'))
    execFileSync('cargo', ['generate-lockfile', '--offline'], {
      cwd: join(directory, 'rust'),
      stdio: 'ignore',
    })
  if (isInstalled('hg')) fillMercurial(directory)
  if (isInstalled('svnadmin')) fillSubversion(directory)
}

function fillMercurial(directory: string): void {
  const hg = (...args: string[]) => execFileSync('hg', args, { cwd: join(directory, 'hg'), stdio: 'ignore' })
  write(directory, 'hg/a', 'one\n')
  hg('init')
  hg('commit', '--addremove', '--user', 'author', '--date', '1000000000 0', '--message', 'First')
  write(directory, 'hg/a', 'two\n')
}

function fillSubversion(directory: string): void {
  const svn = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: directory, stdio: 'ignore' })
  svn('svnadmin', 'create', 'svn-repository')
  svn('svn', 'checkout', `file://${join(directory, 'svn-repository')}`, 'svn')
  write(directory, 'svn/a', 'one\n')
  svn('svn', 'add', 'svn/a')
  svn('svn', 'commit', 'svn', '--message', 'First', '--username', 'author')
  svn('svn', 'update', 'svn')
  write(directory, 'svn/a', 'two\n')
}

function fillDatabases(directory: string): void {
  const run = (...args: string[]) => execFileSync('sqlite3', args, { cwd: directory, stdio: 'ignore' })
  run('plain.db', "create table t(x); insert into t values ('one'), ('two');")
  run('wal.db', 'pragma journal_mode=wal; create table t(x);')
}

function fillHistory(directory: string): void {
  let second = 1_000_000_000
  const git = (...args: string[]) => {
    const date = `${++second} +0000`
    const identity = { name: 'A U Thor', email: 'author@example.com' }
    execFileSync('git', ['-c', `user.name=${identity.name}`, '-c', `user.email=${identity.email}`, ...args], {
      cwd: directory,
      stdio: 'ignore',
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        GIT_CONFIG_GLOBAL: '/dev/null',
      },
    })
  }
  git('init', '-b', 'main')
  git('add', '.')
  git('commit', '-m', 'First')
  git('tag', '-a', 'v1.0', '-m', 'One')
  git('checkout', '-b', 'feature')
  write(directory, 'src/feature.py', 'answer = 43\n')
  git('add', '.')
  git('commit', '-m', 'Feature')
  git('checkout', 'main')
  write(directory, 'README.md', `${files['README.md']}\nMore.\n`)
  git('commit', '-am', 'Second')
  write(directory, 'src/main.py', `${files['src/main.py']}# stashed\n`)
  git('stash')
  write(directory, 'data.csv', `${files['data.csv']}fig,5\n`)
  git('add', 'data.csv')
  write(directory, 'README.md', '# Fixture\n\nChanged.\n')
  write(directory, 'untracked.txt', 'new\n')
}
