import { listSessions, scratchpadRoots } from '../internal.ts'
import { runSubcommand } from './arguments.ts'
import { type Grammar, grammar, type OptionKind } from './grammar.ts'
import { describedIn } from './help.ts'
import { print } from './output.ts'

/** `vitrine completion SHELL`: the script for a shell; `candidates -- WORD...`: what that script calls. */
export function main(args: readonly string[]): Promise<number> {
  const [name, ...words] = args
  if (name === 'candidates') return print(candidates(words[0] === '--' ? words.slice(1) : words))
  const { bash, zsh, fish } = scripts
  const shells = { bash: () => print(bash), zsh: () => print(zsh), fish: () => print(fish) }
  return runSubcommand('completion', shells, args)
}

/** One line per candidate: word, tab, description; or a line `:...` for what the shell completes itself. */
function candidates(words: readonly string[]): string {
  const typed = words.at(-1) ?? ''
  const before = words.slice(0, -1)
  const { node, command } = placeOf(before)
  const from = before.indexOf('--') + 1
  if (from > 0 && node.words === 'command') return `:command ${from}\n`
  const { kind, behind, value } = valueAt(node, before, typed)
  if (kind === 'file' || kind === 'directory') return `:${kind} ${behind}\n`
  if (kind !== 'none') return lines(value, typeof kind === 'string' ? [] : kind, () => '', behind)
  const described = (word: string) => describedIn(command, word)
  if (typed.startsWith('-')) return lines(typed, optionsOf(node), described)
  if (node.commands) return lines(typed, Object.keys(node.commands), described)
  if (node.words === 'file') return ':file \n'
  if (node.words === 'output') return lines(typed, outputs())
  if (node.words === undefined || node.words === 'command') return lines(typed, optionsOf(node), described)
  return lines(typed, node.words)
}

/** The command that the first words name. */
function placeOf(words: readonly string[]): { node: Grammar; command: readonly string[] } {
  let node: Grammar = { options: { version: 'flag' }, commands: grammar }
  let depth = 0
  for (const word of words) {
    const below: Grammar | undefined = Object.hasOwn(node.commands ?? {}, word)
      ? node.commands?.[word]
      : undefined
    if (!below) break
    node = below
    depth += 1
  }
  return { node, command: words.slice(0, depth) }
}

interface Value {
  readonly kind: Exclude<OptionKind, 'flag' | 'flag or full'> | 'none'
  /** What precedes the value in the same word: `--cwd=`. */
  readonly behind: string
  readonly value: string
}

/** The value of an option that is being typed. bash splits `--cwd=src` into three words. */
function valueAt(node: Grammar, before: readonly string[], typed: string): Value {
  const [, behind = '', joined] = /^(--[^=]+=)(.*)$/s.exec(typed) ?? []
  const option = behind || (before.at(-1) === '=' ? before.at(-2) : before.at(-1)) || ''
  const name = option.replace(/^--|=$/g, '')
  const kind = option.startsWith('--') && Object.hasOwn(node.options, name) ? node.options[name] : undefined
  const isFlag = kind === undefined || kind === 'flag' || kind === 'flag or full'
  return { kind: isFlag ? 'none' : kind, behind, value: joined ?? (typed === '=' ? '' : typed) }
}

function optionsOf({ options, words }: Grammar): readonly string[] {
  const names = [...Object.keys(options), 'help'].map((name) => `--${name}`)
  return words === 'command' ? [...names, '--'] : names
}

function lines(
  typed: string,
  words: readonly string[],
  described: (word: string) => string = () => '',
  behind = '',
): string {
  const offered = words.filter((word) => word.startsWith(typed))
  return offered.map((word) => `${behind}${word}\t${described(word)}\n`).join('')
}

/** The names of saved outputs, without duplicates. */
function outputs(): readonly string[] {
  const sessions = listSessions(scratchpadRoots(process.env))
  return [...new Set(sessions.flatMap(({ entries }) => entries.map(({ name }) => name)))].sort()
}

/** Each calls `vitrine completion candidates` at every key press, so it matches the installed version. */
const scripts = {
  bash: `# vitrine, for bash: eval "$(vitrine completion bash)" in ~/.bashrc
_vitrine() {
  local current=\${COMP_WORDS[COMP_CWORD]} IFS=$'\\n' offers
  offers=($(vitrine completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  COMPREPLY=()
  [ "$current" = = ] && current=
  case \${offers[0]-} in
    :directory*) compopt -o filenames; COMPREPLY=($(compgen -d -- "\${current#--*=}")) ;;
    :file*) compopt -o filenames; COMPREPLY=($(compgen -f -- "\${current#--*=}")) ;;
    :command*)
      if [ "$COMP_CWORD" -eq "$((\${offers[0]#:command } + 1))" ]; then COMPREPLY=($(compgen -c -- "$current"))
      else compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); fi ;;
    *) COMPREPLY=("\${offers[@]%%$'\\t'*}") ;;
  esac
}
complete -F _vitrine vitrine
`,
  zsh: `#compdef vitrine
# vitrine, for zsh: eval "$(vitrine completion zsh)" in ~/.zshrc, behind compinit
_vitrine() {
  local -a offers described
  local offer
  offers=("\${(@f)$(vitrine completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $offers[1] in
    '') return 1 ;;
    :directory*) compset -P '--*='; _files -/ ;;
    :file*) compset -P '--*='; _files ;;
    :command*)
      local -i from=$(( \${offers[1]#:command } + 1 ))
      shift from words
      (( CURRENT -= from ))
      _normal ;;
    *)
      for offer in $offers; do described+=("\${\${offer%%$'\\t'*}//:/\\\\:}:\${offer#*$'\\t'}"); done
      _describe vitrine described ;;
  esac
}
compdef _vitrine vitrine
`,
  fish: `# vitrine, for fish: vitrine completion fish >~/.config/fish/completions/vitrine.fish
function __vitrine_offers
    set -l typed (commandline -ct)
    set -l words (commandline -opc) $typed
    # A word that is not begun yet is none for fish.
    test -z "$typed"; and set words (commandline -opc) ''
    set -l offers (vitrine completion candidates -- $words[2..] 2>/dev/null)
    switch "$offers[1]"
        case ':directory*' ':file*'
            set -l behind (string replace -r '^:\\w+ ?' '' -- $offers[1])
            set -l path (string sub -s (math (string length -- "$behind") + 1) -- $typed)
            set -l found (__fish_complete_path "$path")
            string match -q ':directory*' -- $offers[1]; and set found (__fish_complete_directories "$path" '')
            for one in $found
                echo -- "$behind$one"
            end
        case ':command*'
            set -l first (math (string replace ':command ' '' -- $offers[1]) + 2)
            set -l line
            # A slice that ends before it begins is turned round.
            test $first -lt (count $words); and set line (string escape -- $words[$first..-2])
            complete -C (string join ' ' -- $line "$typed")
        case '*'
            string join \\n -- $offers
    end
end
complete -c vitrine -f -a '(__vitrine_offers)'
`,
} as const
