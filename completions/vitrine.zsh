#compdef vitrine
# vitrine, for zsh: eval "$(vitrine completion zsh)" in ~/.zshrc, behind compinit
_vitrine() {
  local -a offers described
  local offer
  offers=("${(@f)$(vitrine completion candidates -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  case $offers[1] in
    '') return 1 ;;
    :directory*) compset -P '--*='; _files -/ ;;
    :file*) compset -P '--*='; _files ;;
    :command*)
      local -i from=$(( ${offers[1]#:command } + 1 ))
      shift from words
      (( CURRENT -= from ))
      _normal ;;
    *)
      for offer in $offers; do described+=("${${offer%%$'\t'*}//:/\\:}:${offer#*$'\t'}"); done
      _describe vitrine described ;;
  esac
}
compdef _vitrine vitrine
