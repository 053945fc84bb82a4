import { checkAwk } from '../checks/awk.ts'
import { checkJq } from '../checks/jq.ts'
import { checkSed } from '../checks/sed.ts'
import { checkXxd } from '../checks/xxd.ts'
import { firstBad } from '../command/arguments.ts'
import { safe, safeAll, safeForms } from './safe.ts'

const grep = {
  harmless: true,
  operands: { are: 'pattern' as const, patternIn: ['-e', '-f', '--regexp', '--file'] },
  options: {
    flags: `-EFGPiyvwxclLoqsbHhnTUZzaIrRuO --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case
      --no-ignore-case --invert-match --word-regexp --line-regexp --count --files-without-match --files-with-matches --only-matching
      --quiet --silent --no-messages --byte-offset --with-filename --no-filename --line-number --initial-tab --unix-byte-offsets
      --null --null-data --text --recursive --dereference-recursive --line-buffered --binary --version --help`,
    valued: `-e -m -A -B -C -d -D --regexp --max-count --after-context --before-context --context --directories --devices --label
      --binary-files --include --exclude --exclude-dir --group-separator`,
    files: '-f --file --exclude-from',
    attached: '--color --colour',
    numbers: true,
  },
}

export const textRules = [
  safe('cat', {
    harmless: true,
    options: {
      flags: `-AbeEnstTuvl --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting
        --version --help`,
    },
  }),
  safe('tac', { options: { flags: '-br --before --regex', valued: '-s --separator' } }),
  ...safeAll('head tail', {
    harmless: true,
    options: {
      flags: '-qvzfFr --quiet --silent --verbose --zero-terminated --retry --version --help',
      valued: '-n -c -s -b --lines --bytes --pid --sleep-interval --max-unchanged-stats',
      attached: '--follow',
      numbers: true,
    },
  }),
  ...safeAll('grep egrep fgrep rgrep', grep),
  // --pre and --hostname-bin run programs, -z runs decompressors, --pre-glob only affects --pre.
  safe('rg', {
    operands: { are: 'pattern', patternIn: ['-e', '-f', '--regexp', '--file', '--files', '--type-list'] },
    options: {
      flags: `-FPiSsvwxclLoqbHINnpuhaUVK0. --fixed-strings --pcre2 --no-pcre2 --ignore-case --smart-case --case-sensitive --invert-match
        --word-regexp --line-regexp --count --count-matches --files-with-matches --files-without-match --only-matching --quiet
        --byte-offset --with-filename --no-filename --line-number --no-line-number --pretty --unrestricted --text --multiline
        --multiline-dotall --hidden --no-hidden --no-ignore --ignore --no-ignore-vcs --no-ignore-parent --no-ignore-global
        --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-config --no-messages --follow --no-follow --files --type-list
        --column --no-column --heading --no-heading --null --null-data --json --stats --trim --vimgrep --crlf --one-file-system
        --line-buffered --block-buffered --binary --passthru --passthrough --no-unicode --auto-hybrid-regex --debug --trace
        --glob-case-insensitive --max-columns-preview --include-zero --no-require-git --version --help`,
      valued: `-e -A -B -C -g -t -T -m -M -d -j -r -E --regexp --after-context --before-context --context --glob --iglob --type
        --type-not --type-add --type-clear --max-count --max-columns --max-depth --maxdepth --max-filesize --threads --replace
        --encoding --color --colors --sort --sortr --engine --context-separator --field-match-separator --field-context-separator
        --path-separator --dfa-size-limit --regex-size-limit`,
      files: '-f --file --ignore-file',
    },
  }),
  // --pager runs a program, -z decompresses.
  safe('ag', {
    operands: { are: 'pattern' },
    options: {
      flags: `-acDfFHilLnoQrRsStuUvVw01 --ackmate --all-types --case-sensitive --color --count --nocolor --column --filename
        --nofilename --files-with-matches --files-without-matches --fixed-strings --follow --nofollow --group --nogroup --hidden
        --heading --noheading --ignore-case --invert-match --literal --numbers --nonumbers --only-matching --print-long-lines
        --recurse --norecurse --search-files --silent --skip-vcs-ignores --smart-case --stats --unrestricted --vimgrep
        --word-regexp --break --nobreak --null --version --help`,
      valued:
        '-A -B -C -g -G -m -W --after --before --context --depth --max-count --file-search-regex --ignore --ignore-dir --width',
    },
  }),
  safe('wc', {
    harmless: true,
    options: {
      flags: '-clLmw --bytes --chars --lines --max-line-length --words --version --help',
      valued: '--total',
      lists: '--files0-from',
    },
  }),
  // -o writes, -T writes temporary files elsewhere, --compress-program runs a program.
  safe('sort', {
    options: {
      flags: `-bdfghiMnRrVCcmsuz --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort
        --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --merge --stable
        --unique --zero-terminated --debug --version --help`,
      valued: '-k -t -S --key --field-separator --buffer-size --parallel --batch-size --sort',
      files: '--random-source',
      lists: '--files0-from',
      attached: '--check',
    },
  }),
  // The second operand is written; in BSD what follows the first one is no option.
  safe('uniq', {
    operands: { most: 1 },
    check: ({ operands, words }) => firstBad(operands, (word) => word !== words.at(-1)),
    options: {
      flags: '-cdDiuz --count --repeated --unique --ignore-case --zero-terminated --version --help',
      valued: '-f -s -w --skip-fields --skip-chars --check-chars',
      attached: '--all-repeated --group',
    },
  }),
  safe('cut', {
    harmless: true,
    options: {
      flags: '-nswz --complement --only-delimited --zero-terminated --version --help',
      valued: '-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter',
    },
  }),
  safe('tr', {
    harmless: true,
    operands: { are: 'words' },
    options: { flags: '-cCdstu --complement --delete --squeeze-repeats --truncate-set1 --version --help' },
  }),
  safe('paste', {
    harmless: true,
    options: { flags: '-sz --serial --zero-terminated', valued: '-d --delimiters' },
  }),
  safe('comm', {
    harmless: true,
    options: {
      flags: '-123iz --check-order --nocheck-order --total --zero-terminated',
      valued: '--output-delimiter',
    },
  }),
  safe('column', {
    harmless: true,
    options: {
      flags: '-tnexJLd --table --json --fillrows --table-noheadings --keep-empty-lines',
      valued:
        '-s -o -c -N -R -H -W -T --separator --output-separator --output-width --table-columns --table-right --table-hide --table-name',
    },
  }),
  safe('col', { harmless: true, options: { flags: '-bfhpx', valued: '-l' } }),
  safe('nl', {
    harmless: true,
    options: {
      flags: '-p --no-renumber',
      valued:
        '-b -d -f -h -i -l -n -s -v -w --body-numbering --number-format --number-separator --number-width --starting-line-number',
    },
  }),
  ...safeAll('rev fold expand unexpand', {
    harmless: true,
    options: { flags: '-abcsi --bytes --spaces --initial --all', valued: '-w -t --width --tabs' },
  }),
  ...safeAll('od hexdump hd', {
    harmless: true,
    options: {
      flags: '-bcCdosvxai --canonical --no-squeezing --output-duplicates --traditional',
      valued:
        '-A -j -N -S -t -w -n -e -L --address-radix --skip-bytes --read-bytes --format --length --skip --strings',
    },
  }),
  safe('strings', {
    harmless: true,
    options: { flags: '-afwd --all --print-file-name', valued: '-n -t -e -s --bytes --radix --encoding' },
  }),
  safeForms('xxd', { check: checkXxd }),
  // On macOS -i and -o name files; -o writes.
  safe('base64', {
    options: { flags: '-dD --decode --ignore-garbage --version --help', valued: '-w -b --wrap --break' },
  }),
  safe('jq', {
    harmless: true,
    operands: { are: 'pattern', patternIn: ['-f', '--from-file'] },
    check: checkJq,
    options: {
      flags: `-cnrRsSjaeCMh --compact-output --null-input --raw-output --raw-output0 --raw-input --slurp --sort-keys --join-output
        --ascii-output --exit-status --color-output --monochrome-output --tab --unbuffered --stream --stream-errors --seq --args
        --jsonargs --version --help`,
      valued: '--indent',
      files: '-f -L --from-file',
      pairs: '--arg --argjson',
      filePairs: '--slurpfile --rawfile --argfile',
    },
  }),
  safe('sed', {
    operands: { are: 'pattern', patternIn: ['-e', '--expression'] },
    check: checkSed,
    options: {
      flags: `-nErsuz --quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --version
        --help`,
      // In BSD sed -l is a flag, so the next word would be the script.
      valued: '-e --expression --line-length',
    },
  }),
  ...safeAll('awk gawk mawk nawk', {
    operands: { are: 'pattern' },
    check: checkAwk,
    options: { valued: '-F -v --field-separator --assign' },
  }),
]
