/** Prints the directory and the exported variables, after the mark WORD:state. */
const toldState = String.raw`printf '\0WORD:state\0'; pwd; printf '\0'; command -p env -0; `

/** WORD stands for a random word, CODE for the exit code before it, LINE for the quoted line. Prints the state once, however the line ends. */
export const plainScript = String.raw`
__vitrine_before() { return CODE; }
__vitrine_end() {
  __vitrine_code=$?
  set +eu
  [ "$__vitrine_over" ] || { __vitrine_over=1; ${toldState} printf '\0WORD:typed\0'; } >&3
  return "$__vitrine_code"
}
trap '{ __vitrine_end; } 2>/dev/null' EXIT
__vitrine_before; eval LINE
{ __vitrine_end; } 2>/dev/null`

/**
 * The same with a terminal. Each program of the line is a job of its own, so that it can be stopped; an
 * interrupt ends the line if it ended the program, as in an interactive shell. At the end the script hands on
 * everything that was typed and not read, up to WORD, which the owner types; then "fg" continues a stopped
 * job, and any other line ends the script.
 */
export const terminalScript = String.raw`
set -m
__vitrine_before() { return CODE; }
__vitrine_end() {
  __vitrine_code=$?
  set +eu
  [ "$__vitrine_over" ] && return "$__vitrine_code"
  __vitrine_over=1
  while :; do
    __vitrine_tty=$(command -p stty -g)
    command -p stty raw -echo
    {
      ${toldState}
      printf '\0WORD:jobs\0'; LC_ALL=C jobs
      printf '\0WORD:typed\0'
      while IFS= read -r __vitrine_line && [ "$__vitrine_line" != WORD ]; do printf '%s\n' "$__vitrine_line"; done
      printf '\0WORD:drained\0'
    } >&3
    IFS= read -r __vitrine_line
    command -p stty "$__vitrine_tty"
    [ "$__vitrine_line" = fg ] || return "$__vitrine_code"
    fg
    __vitrine_code=$?
  done
}
trap 'exit 130' INT
trap '{ __vitrine_end; } </dev/tty 2>/dev/null' EXIT
__vitrine_before; eval LINE
{ __vitrine_end; } </dev/tty 2>/dev/null`
