import { checkConfig, checkFormat, checkListing, checkReflog } from '../checks/git.ts'
import { safe } from './safe.ts'

// Excluded: --output, --ext-diff, --textconv, -O, --show-signature, --submodule, --remerge-diff.
const diff = {
  flags: `-p -u -s -w -b -R -a -W -z --patch --no-patch --numstat --shortstat --summary --compact-summary --name-only --name-status
    --patch-with-stat --patch-with-raw --raw --cached --staged --merge-base --minimal --patience --histogram --no-renames --check
    --full-index --binary --text --exit-code --quiet --ignore-space-at-eol --ignore-cr-at-eol --ignore-space-change
    --ignore-all-space --ignore-blank-lines --function-context --no-color --no-prefix --default-prefix --no-ext-diff --no-textconv
    --no-relative --no-index --indent-heuristic --no-indent-heuristic --no-color-moved --pickaxe-regex --pickaxe-all --cc
    --combined-all-paths --find-copies-harder --no-rename-empty --ita-invisible-in-index`,
  valued: `-S -G -U -l --diff-algorithm --diff-filter --word-diff-regex --unified --inter-hunk-context --src-prefix --dst-prefix
    --line-prefix --anchored --color-moved-ws --ws-error-highlight --ignore-matching-lines -I --output-indicator-new
    --output-indicator-old --output-indicator-context --find-object --rotate-to --skip-to`,
  attached: `-M -C -B -X --stat --dirstat --color --color-words --word-diff --color-moved --find-renames --find-copies
    --break-rewrites --relative --ignore-submodules --abbrev --stat-width --stat-name-width --stat-count --stat-graph-width`,
}

const log = {
  flags: `${diff.flags} --oneline --graph --all --follow --reverse --merges --no-merges --first-parent --topo-order --date-order
    --author-date-order --abbrev-commit --no-abbrev-commit --left-right --left-only --right-only --cherry-pick --cherry-mark
    --cherry --ancestry-path --full-history --simplify-merges --simplify-by-decoration --dense --sparse --boundary --relative-date
    --no-decorate --parents --children --show-pulls --source --walk-reflogs -g --reflog --not --no-notes --mailmap --no-mailmap
    --use-mailmap --no-use-mailmap --clear-decorations --no-expand-tabs --log-size --full-diff --all-match --invert-grep
    --regexp-ignore-case -i -E -F --extended-regexp --fixed-strings --basic-regexp -P --perl-regexp --remove-empty --no-graph
    --in-commit-order --root --no-commit-id --always -t -c -m -r --no-diff-merges --objects`,
  valued: `${diff.valued} -n -L --author --committer --grep --since --until --after --before --max-count --skip --date --encoding
    --min-parents --max-parents --glob --exclude --since-as-filter --decorate-refs --decorate-refs-exclude --grep-reflog
    --max-age --min-age --diff-merges`,
  attached: `${diff.attached} --decorate --pretty --format --branches --tags --remotes --notes --show-notes --no-walk --expand-tabs`,
  numbers: true,
}

const listing = {
  flags: `-a -r -v -i --all --remotes --verbose --list --show-current --no-color --ignore-case --no-column --no-abbrev --omit-empty`,
  valued: '--sort --format --points-at --contains --no-contains',
  attached: '--color --column --abbrev --merged --no-merged',
}

/** With these options, names select what is listed. */
const selecting = ['--list', '--contains', '--no-contains', '--merged', '--no-merged', '--points-at']

const grep = {
  flags: `-a -I -i -w -v -h -H -E -G -F -P -n -l -L -z -o -c -p -W -q -r --text --ignore-case --word-regexp --invert-match --full-name
    --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches --name-only
    --files-without-match --null --only-matching --count --no-color --break --heading --show-function --function-context --quiet
    --cached --untracked --no-index --exclude-standard --no-exclude-standard --and --or --not --all-match --recursive
    --no-recursive --no-textconv`,
  valued: '-e -m -A -B -C --max-depth --max-count --after-context --before-context --context --threads',
  files: '-f',
  attached: '--color',
}

export const gitRules = [
  safe('git status', {
    options: {
      flags: `-s -b -z -v --short --branch --show-stash --long --verbose --ahead-behind --no-ahead-behind --renames --no-renames
        --no-column`,
      attached: '-u --porcelain --untracked-files --ignored --ignore-submodules --column --find-renames -M',
    },
  }),
  safe('git diff', { options: { ...diff, numbers: true }, check: checkFormat }),
  ...['log', 'show', 'rev-list'].map((name) =>
    safe(`git ${name}`, {
      check: checkFormat,
      options:
        name === 'rev-list'
          ? { ...log, flags: `${log.flags} --count --header --timestamp --objects-edge` }
          : log,
    }),
  ),
  ...['diff-tree', 'diff-index', 'diff-files'].map((name) =>
    safe(`git ${name}`, { options: log, check: checkFormat }),
  ),
  safe('git shortlog', {
    options: {
      flags: '-n -s -e -c --numbered --summary --email --committer --no-merges --merges --all --first-parent',
      valued: '--group --since --until --after --before --author --grep',
      attached: '-w --branches --tags --remotes',
    },
  }),
  safe('git branch', {
    check: checkListing(...selecting),
    options: { ...listing, flags: `${listing.flags} -vv` },
  }),
  safe('git tag', {
    check: checkListing('-l', ...selecting),
    options: {
      ...listing,
      flags: '-l -i --list --ignore-case --no-color --no-column --omit-empty',
      attached: `${listing.attached} -n`,
    },
  }),
  ...['blame', 'annotate'].map((name) =>
    safe(`git ${name}`, {
      options: {
        flags: `-b -l -t -f -n -s -e -p -w -c -i --root --show-stats --show-name --show-number --show-email --porcelain
          --line-porcelain --incremental --color-lines --color-by-age --no-progress --progress --minimal --first-parent`,
        valued: '-L --date --since --ignore-rev --encoding',
        files: '--ignore-revs-file',
        attached: '-M -C --abbrev',
      },
    }),
  ),
  safe('git grep', {
    operands: { are: 'pattern', patternIn: ['-e', '-f'] },
    options: { ...grep, numbers: true },
  }),
  safe('git ls-files', {
    options: {
      flags: `-c -d -m -o -i -s -k -u -t -v -f -z --cached --deleted --modified --others --ignored --stage --killed --unmerged
        --directory --no-empty-directory --eol --full-name --error-unmatch --exclude-standard --deduplicate --debug`,
      valued: '-x --exclude --format',
      files: '-X --exclude-from',
      attached: '--abbrev',
    },
  }),
  safe('git ls-tree', {
    options: {
      flags: '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree',
      attached: '--abbrev --format',
    },
  }),
  safe('git rev-parse', {
    options: {
      flags: `-q --verify --quiet --show-toplevel --show-prefix --show-cdup --git-dir --git-common-dir --absolute-git-dir
        --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree
        --symbolic --symbolic-full-name --all --show-object-format --local-env-vars --not`,
      valued: '--git-path --prefix --default',
      attached: '--short --abbrev-ref --branches --tags --remotes --path-format --disambiguate',
    },
  }),
  safe('git describe', {
    options: {
      flags: '--all --tags --contains --long --always --debug --exact-match --first-parent',
      valued: '--match --exclude --candidates',
      // --dirty and --broken write a refreshed index, even with GIT_OPTIONAL_LOCKS=0 (seen with git 2.39).
      attached: '--abbrev',
    },
  }),
  safe('git cat-file', {
    options: {
      flags: '-t -s -e -p --follow-symlinks --batch-all-objects --unordered --buffer',
      attached: '--batch --batch-check',
    },
  }),
  safe('git name-rev', {
    options: { flags: '--tags --all --name-only --no-undefined --always', valued: '--refs --exclude' },
  }),
  safe('git merge-base', {
    options: { flags: '-a --all --octopus --independent --is-ancestor --fork-point' },
  }),
  safe('git show-ref', {
    options: {
      flags: '-d -q -s --head --heads --branches --tags --dereference --verify --quiet --exists',
      attached: '--hash --abbrev',
    },
  }),
  safe('git for-each-ref', {
    check: checkFormat,
    options: {
      flags: '--shell --perl --python --tcl --ignore-case --omit-empty',
      valued: '--count --sort --format --points-at --contains --no-contains --exclude',
      attached: '--color --merged --no-merged',
    },
  }),
  safe('git check-ignore', { options: { flags: '-v -q -z -n --verbose --quiet --non-matching --no-index' } }),
  safe('git check-attr', { options: { flags: '-a -z --all --cached', valued: '--source' } }),
  safe('git cherry', { options: { flags: '-v', attached: '--abbrev' } }),
  safe('git count-objects', {
    operands: { most: 0 },
    options: { flags: '-v -H --verbose --human-readable' },
  }),
  safe('git var', { operands: { are: 'words' }, options: { flags: '-l' } }),
  safe('git version', { operands: { most: 0 }, options: { flags: '--build-options' } }),
  safe('git worktree list', { operands: { most: 0 }, options: { flags: '-v -z --porcelain --verbose' } }),
  safe('git stash list', { options: log, check: checkFormat }),
  safe('git stash show', {
    check: checkFormat,
    options: { ...diff, flags: `${diff.flags} -u --include-untracked --only-untracked`, numbers: true },
  }),
  safe('git reflog', { options: log, check: checkReflog }),
  safe('git config', {
    operands: { are: 'words' },
    check: checkConfig,
    options: {
      flags: `-l -z --get --get-all --get-regexp --get-urlmatch --list --show-origin --show-scope --name-only --null --local --global
        --system --worktree --includes --no-includes --bool --int --path`,
      valued: '--type --default',
    },
  }),
  safe('git remote', { operands: { most: 0 }, options: { flags: '-v --verbose' } }),
  safe('git remote get-url', { operands: { are: 'words' }, options: { flags: '--all --push' } }),
]

/** `git remote show NAME` asks the server, so only the `analysis` preset lists it. */
export const gitRemoteShow = safe('git remote show', { operands: { are: 'words' }, options: { flags: '-n' } })
