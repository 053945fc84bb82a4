/** A row: a shell line that exits with 0 and prints something, or what it does instead. */
export type Row =
  | string
  | {
      readonly line: string
      readonly needs?: readonly string[]
      /** Exit code; 0 when absent. */
      readonly exit?: number
      /** Ends by this signal. */
      readonly signal?: NodeJS.Signals
      /** Prints nothing on either stream. */
      readonly silent?: true
      /** Why the row cannot be the same here; null where it can. */
      readonly cannot?: () => string | null
    }

export const needing = (needs: string, line: string): Row => ({ line, needs: needs.split(' ') })

export interface Theme {
  readonly theme: string
  /** Programs without which none of the rows can run. */
  readonly needs: readonly string[]
  readonly rows: readonly Row[]
}

/** Ordinary exploring of a repository (fixture.ts), each the same in read mode as in write mode. */
export const gitThemes: readonly Theme[] = [
  {
    theme: 'git history',
    needs: ['git'],
    rows: [
      'git log',
      'git log --oneline --graph --all --decorate',
      'git log -p -1 -- src/main.py',
      'git log --stat --since=2001-01-01',
      'git log --pretty=format:"%h %an %s" --follow README.md',
      'git log -S answer --oneline',
      'git show HEAD',
      'git show HEAD~1:src/main.py',
      'git show --stat v1.0',
      'git blame src/main.py',
      'git blame -L 1,2 --porcelain README.md',
      'git shortlog -sn HEAD',
      'git reflog -3',
      'git rev-list --count --all',
      'git merge-base HEAD feature',
      'git describe --tags --always',
      'git whatchanged -1 --oneline || git log --raw -1 --oneline',
    ],
  },
  {
    theme: 'git state',
    needs: ['git'],
    rows: [
      'git status',
      'git status --porcelain=v2 --branch',
      'git diff',
      'git diff --stat HEAD',
      'git diff --cached --name-status',
      'git diff main...feature -- src',
      'git diff --word-diff --color=always',
      { line: 'git diff --quiet', exit: 1, silent: true },
      'git branch -a -vv',
      'git tag -n',
      'git stash list',
      'git stash show -p',
      'git remote -v; echo $?',
      'git config --list --local',
      'git worktree list --porcelain | grep -c worktree',
      'git check-ignore -v build/out.o',
      'git ls-files -s',
      'git ls-files --others --exclude-standard',
      'git ls-tree -r HEAD',
      'git cat-file -p HEAD',
      'git grep -n answer',
      'git rev-parse --show-toplevel HEAD --abbrev-ref HEAD',
      'git count-objects -v | head -1',
      'git fsck --no-progress; echo $?',
      'git archive HEAD | tar -t',
      { line: 'git show no-such-revision', exit: 128 },
    ],
  },
]

export const fileThemes: readonly Theme[] = [
  {
    theme: 'looking for files',
    needs: [],
    rows: [
      'ls',
      'ls -la --time-style=+%Y src',
      'ls -R | head -30',
      'ls -l /dev/null /dev/zero',
      { line: 'ls no-such-file', exit: 2 },
      "find . -name '*.py' -not -path './.git/*'",
      'find . -type f -size +1k -newermt 2001-01-01 | sort | head',
      'find src -type f -exec wc -l {} +',
      'find src -type f -print0 | xargs -0 -n 1 basename | sort',
      'find . -maxdepth 1 -type l -printf "%p -> %l\\n"',
      { line: 'tree -a -I .git', needs: ['tree'] },
      { line: 'file README.md data.bin archive.tar.gz link src', needs: ['file'] },
      "stat -c '%n %s %a %F' README.md src link",
      'stat -f -c %T . > /dev/null && echo ok',
      'du -sb src',
      'du -a --apparent-size src | sort -n',
      'df -P . | head -1',
      'df --output=target .',
      'readlink -f link',
      'realpath src/../README.md',
      'test -r README.md -a -d src && echo yes',
      { line: '[ -w /nonexistent ]', exit: 1, silent: true },
      { line: 'which sh cat', needs: ['which'] },
      'command -v ls; type cd',
      'pwd; cd src && pwd',
      'md5sum README.md data.bin && sha256sum data.csv && cksum data.csv',
    ],
  },
  {
    theme: 'reading text',
    needs: [],
    rows: [
      'cat README.md src/main.py',
      'cat -A data.csv | head -3',
      'head -n 3 numbers.txt; tail -n 3 numbers.txt',
      'tail -n +995 numbers.txt',
      'head -c 16 data.bin | od -An -tx1',
      "sed -n '10,20p' numbers.txt",
      "sed 's/answer/question/' src/main.py",
      'nl -ba src/main.py',
      'wc numbers.txt data.csv',
      "grep -rn answer . --include='*.py'",
      'grep -c . numbers.txt',
      "grep -E -o '[0-9]+$' data.csv",
      { line: 'grep nothing-like-this README.md', exit: 1, silent: true },
      { line: 'grep x no-such-file', exit: 2 },
      { line: 'rg -n answer --sort path', needs: ['rg'] },
      { line: 'rg --files --sort path', needs: ['rg'] },
      { line: "rg -j 4 -c '[0-9]' --sort path", needs: ['rg'] },
      { line: 'less README.md', needs: ['less'] },
      { line: 'less -N +3 numbers.txt | head -5', needs: ['less'] },
      { line: 'man -P cat ls 2>/dev/null | head -2; echo done', needs: ['man'] },
      'strings -n 4 data.bin 2>/dev/null | head -2; echo done',
      { line: 'xxd data.bin | head -3', needs: ['xxd'] },
      'od -c data.bin | head -3',
      'tac data.csv | rev | head -2',
      'fold -w 10 README.md | expand | head -4',
    ],
  },
  {
    theme: 'working on text',
    needs: [],
    rows: [
      'sort -t, -k2 -n data.csv',
      'sort -R --random-source=data.bin numbers.txt | wc -l',
      'cut -d, -f1 data.csv | sort | uniq -c',
      "awk -F, '{ sum += $2 } END { print sum }' data.csv",
      "awk 'NR % 100 == 0' numbers.txt",
      'tr a-z A-Z < README.md',
      'paste -d: data.csv data.csv | head -2',
      'join -t, data.csv data.csv | head -2',
      { line: 'diff README.md src/main.py', exit: 1 },
      { line: "bash -c 'diff -u <(sort data.csv) <(cat data.csv) | tail -n +3'", needs: ['bash'] },
      { line: 'cmp README.md data.csv', exit: 1 },
      'comm -12 numbers.txt numbers.txt | wc -l',
      'column -t -s, data.csv 2>/dev/null || cat data.csv',
      'split --help | head -1',
      { line: "jq '.items[] | .name' data.json", needs: ['jq'] },
      { line: 'jq . broken.json || echo refused', needs: ['jq'] },
      'tar -tzf archive.tar.gz',
      'tar -xzOf archive.tar.gz README.md',
      'gzip -dc text.gz | head -2',
      'zcat text.gz | wc -c',
      'base64 data.bin | head -1',
      'seq 1 5 | shuf --random-source=data.bin',
      'expr 6 \\* 7; printf "%05d\\n" 42; echo $((1 << 10))',
      'date -u -d @0 +%FT%TZ',
      'cal 1 2000 2>/dev/null; echo done',
      { line: 'echo 2^64 | bc', needs: ['bc'] },
    ],
  },
]
