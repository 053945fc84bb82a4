import { checkFind, pathsOfFind } from '../checks/find.ts'
import { safe, safeAll, safeForms } from './safe.ts'

export const fileRules = [
  safe('ls', {
    harmless: true,
    options: {
      flags: `-aAbBcCdfFgGhHikKlLmnNopPqQrRsStuUvxXZ1eO@%W --all --almost-all --author --escape --ignore-backups --directory
        --dired --full-time --group-directories-first --no-group --human-readable --si --dereference-command-line
        --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference --numeric-uid-gid --literal --hide-control-chars
        --show-control-chars --quote-name --reverse --recursive --size --context --zero --file-type --version --help`,
      valued:
        '-I -T -w --ignore --hide --tabsize --width --block-size --format --sort --time --time-style --quoting-style --indicator-style',
      attached: '--color --classify --hyperlink',
    },
  }),
  // -o writes; -R writes 00Tree.html into every directory.
  safe('tree', {
    options: {
      flags: `-adflxpsughDFqNQrtcUvnCASiJXQ --noreport --dirsfirst --filesfirst --du --prune --gitignore --si --inodes --device
        --ignore-case --matchdirs --metafirst --nolinks --fflinks --info --version --help`,
      separate: '-L -P -I',
      valued: '--filelimit --timefmt --charset --sort',
      files: '--gitfile --infofile',
    },
  }),
  safeForms('find', { check: checkFind, paths: pathsOfFind }),
  ...['fd', 'fdfind'].map((name) =>
    safe(name, {
      operands: { are: 'pattern' },
      options: {
        flags: `-HIusigFalLp0q1 --hidden --no-hidden --no-ignore --ignore --no-ignore-vcs --no-ignore-parent --unrestricted
          --case-sensitive --ignore-case --glob --regex --fixed-strings --literal --absolute-path --relative-path --follow
          --no-follow --full-path --print0 --quiet --prune --one-file-system --show-errors --strip-cwd-prefix --version --help`,
        valued: `-d -t -e -S -c -j -o -E --max-depth --min-depth --exact-depth --type --extension --size --color --threads
          --owner --exclude --changed-within --changed-before --newer --older --max-results --and --path-separator`,
        files: '--search-path --ignore-file',
      },
    }),
  ),
  safe('stat', {
    harmless: true,
    options: {
      flags: '-LftxnqFsrZ --dereference --file-system --terse --version --help',
      valued: '-c --format --printf --cached',
    },
  }),
  // -C writes a magic file; -z and -S start programs; -p sets the access time; -f reads names.
  safe('file', {
    options: {
      flags: `-bhikLNnr0Iv --brief --mime --mime-type --mime-encoding --no-dereference --dereference --keep-going --no-pad
        --no-buffer --raw --print0 --extension --version --help`,
      valued: '-F --separator -e --exclude',
    },
  }),
  safe('du', {
    harmless: true,
    options: {
      flags: `-0abcDhHklLmPsSxgnr --null --all --apparent-size --bytes --total --dereference-args --human-readable --si --inodes
        --dereference --no-dereference --count-links --separate-dirs --summarize --one-file-system --version --help`,
      valued: '-B -d -t -I --block-size --max-depth --threshold --exclude --time-style',
      files: '-X --exclude-from',
      lists: '--files0-from',
      attached: '--time',
    },
  }),
  // --sync flushes pending writes.
  safe('df', {
    options: {
      flags:
        '-ahHiklmPTgbnYI --all --human-readable --si --inodes --local --portability --print-type --total --no-sync --version --help',
      valued: '-B -t -x --block-size --type --exclude-type',
      attached: '--output',
    },
  }),
  ...safeAll('basename dirname', {
    harmless: true,
    operands: { are: 'words' },
    options: { flags: '-az --multiple --zero --version --help', valued: '-s --suffix' },
  }),
  ...safeAll('realpath readlink', {
    harmless: true,
    options: {
      flags: `-eEfLmnPqsvz --canonicalize --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip
        --no-symlinks --zero --no-newline --silent --verbose --version --help`,
      valued: '--relative-to --relative-base',
    },
  }),
  ...safeAll('md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5', {
    harmless: true,
    options: {
      flags:
        '-bctwzrsUq0p --binary --check --text --tag --zero --ignore-missing --quiet --status --strict --warn --version --help',
      valued: '-a -l --algorithm --length',
    },
  }),
  safe('cmp', {
    harmless: true,
    options: {
      flags: '-blsxhz --print-bytes --verbose --quiet --silent --version --help',
      valued: '-i -n --ignore-initial --bytes',
    },
  }),
  // -l runs pr.
  safe('diff', {
    options: {
      flags: `-abBdeEHiNnpPqrsTtuvwyZc --text --ignore-space-change --ignore-blank-lines --minimal --ed --ignore-tab-expansion
        --ignore-case --new-file --rcs --show-c-function --brief --recursive --report-identical-files --initial-tab --expand-tabs
        --unified --context --side-by-side --ignore-all-space --ignore-trailing-space --strip-trailing-cr --normal --left-column
        --suppress-common-lines --no-dereference --ignore-file-name-case --speed-large-files --suppress-blank-empty
        --unidirectional-new-file --version --help`,
      valued:
        '-C -U -F -I -L -W -x -S -D --label --width --exclude --ignore-matching-lines --show-function-line --starting-file --tabsize --horizon-lines',
      files: '-X --exclude-from --from-file --to-file',
      attached: '--color --unified --context --palette',
    },
  }),
]
