/** The command line that sends a signal to every process of the user that runs it. */
export function signalAll(signal: NodeJS.Signals): readonly string[] {
  const kill = (name: string) => `kill -${name} -1`
  // A stopped process handles the signal only once it is continued.
  return ['/bin/sh', '-c', signal === 'SIGTERM' ? `${kill('TERM')}; ${kill('CONT')}` : kill(bare(signal))]
}

/**
 * The command line that sends a signal to all processes with a cookie in their environment. A shell whose
 * child is signalled first would continue with the rest of its line, so all of them are stopped before the
 * first one is signalled.
 */
export function signalCarriers(signal: NodeJS.Signals, cookie: string): readonly string[] {
  return ['/bin/sh', '-c', toCarriers, 'carriers', bare(signal), cookie]
}

function bare(signal: NodeJS.Signals): string {
  return signal.replace(/^SIG/, '')
}

const toCarriers = `
send() { kill "-$1" "$2" 2>/dev/null; }
all=
for pass in 1 2 3 4 5 6 7 8 9; do
  new=
  for file in $(grep -ls "$2" /proc/[0-9]*/environ); do
    pid=\${file#/proc/} pid=\${pid%/environ}
    case " $all " in *" $pid "*) ;; *) new="$new $pid" && send STOP $pid ;; esac
  done
  [ -n "$new" ] || break
  all="$all$new"
done
for pid in $all; do send "$1" $pid; done
case $1 in STOP | TSTP | TTIN | TTOU | KILL) ;; *) for pid in $all; do send CONT $pid; done ;; esac`
