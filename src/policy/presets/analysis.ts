import { words } from '../../base/text.ts'
import { checkCloc, checkLess, checkScc, checkYq } from '../checks/analysis.ts'
import type { Rule } from '../rules/rules.ts'
import { fileRules } from './files.ts'
import { gitRemoteShow, gitRules } from './git.ts'
import { once } from './once.ts'
import { safe } from './safe.ts'
import { shellRules } from './shell.ts'
import { textRules } from './text.ts'
import { xargs } from './wrappers.ts'

const programs = new Set(
  words(`ls find stat file du wc head tail cat sort uniq diff comm tr cut paste column grep egrep rg ag jq base64 xxd hexdump echo printf
   date printenv which type uname id whoami pwd realpath dirname basename tree`),
)
const subcommands = new Set(
  words(`log diff show blame status branch tag remote rev-parse rev-list shortlog describe ls-files ls-tree cat-file name-rev reflog stash
   config`),
)

function isListed({ prefix: [name = '', subcommand = ''] }: Rule): boolean {
  return name === 'git' ? subcommands.has(subcommand) : programs.has(name)
}

export const analysisRules = once((): readonly Rule[] => [
  ...[...fileRules, ...textRules, ...shellRules, ...gitRules].filter(isListed),
  gitRemoteShow,
  // -o writes its input; -k and -t read key bindings and tags.
  safe('less', {
    check: checkLess,
    options: { flags: '-NSRFXiInerEsmMGQqwJ', valued: '-x -p -b -h -j' },
  }),
  // -i writes in place, -s splits into files.
  safe('yq', {
    operands: { are: 'pattern' },
    check: checkYq,
    options: {
      flags:
        '-rPCMNnejc --prettyPrint --colors --no-colors --no-doc --null-input --exit-status --tojson --unwrapScalar --version',
      valued: '-p -o -I --input-format --output-format --indent',
    },
  }),
  // With a command they are also checked by it.
  safe('env', {
    operands: { are: 'words', most: 0 },
    // -i and -u would remove the variables that keep git from running a repository's programs.
    options: { flags: '-0v --null' },
  }),
  xargs,
  safe('tokei', {
    options: {
      flags: '-fChV --files --compact --hidden --no-ignore',
      valued: '-e -t -s -o -c --exclude --type --types --sort --output --columns',
    },
  }),
  // -o and --format-multi write.
  safe('scc', {
    check: checkScc,
    options: {
      flags:
        '-wcd --wide --by-file --no-cocomo --no-complexity --no-duplicates --no-gen --no-min --version --help',
      valued: '-f -s -i --format --sort --include-ext --exclude-ext --exclude-dir',
    },
  }),
  // --out, --report-file and --sql write, --extract-with runs a program.
  safe('cloc', {
    check: checkCloc,
    options: {
      flags: '--json --yaml --csv --md --quiet --by-file --by-file-by-lang --hide-rate --version --help',
      valued:
        '--exclude-dir --exclude-ext --exclude-lang --include-lang --include-ext --max-file-size --timeout',
    },
  }),
])

/** Programs that run project code or their arguments: `allow` in the sandboxed modes, else `ask`. */
export const interpreters: readonly Rule[] = words(
  'awk sed python python3 node npx uv cargo go java javac npm pip pip3 make ast-grep repomix',
).map((name) => ({
  prefix: [name],
  verdict: 'allow',
  source: 'preset analysis',
  reason: '',
}))

/** What the preset allows, for its message about another program. */
export const analysisList = {
  programs: [...programs, ...words('less yq env xargs tokei scc cloc')],
  subcommands: [...subcommands],
  interpreters: interpreters.flatMap(({ prefix }) => prefix),
}
