/** Each calls `vitrine completion candidates` at every key press, so it matches the installed version. */
export const scripts = {
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
