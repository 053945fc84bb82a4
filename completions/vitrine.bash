# vitrine, for bash: eval "$(vitrine completion bash)" in ~/.bashrc
_vitrine() {
  local current=${COMP_WORDS[COMP_CWORD]} IFS=$'\n' offers
  offers=($(vitrine completion candidates -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  COMPREPLY=()
  [ "$current" = = ] && current=
  case ${offers[0]-} in
    :directory*) compopt -o filenames; COMPREPLY=($(compgen -d -- "${current#--*=}")) ;;
    :file*) compopt -o filenames; COMPREPLY=($(compgen -f -- "${current#--*=}")) ;;
    :command*)
      if [ "$COMP_CWORD" -eq "$((${offers[0]#:command } + 1))" ]; then COMPREPLY=($(compgen -c -- "$current"))
      else compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); fi ;;
    *) COMPREPLY=("${offers[@]%%$'\t'*}") ;;
  esac
}
complete -F _vitrine vitrine
