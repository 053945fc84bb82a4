/** How to find the wrapped command: options that take the next word, and operands before it. */
export interface Wrapper {
  readonly valued: ReadonlySet<string>
  readonly operands: number
  /** Options whose value is a script or command line. */
  readonly script: ReadonlySet<string>
  /** Options without a value of which the name is the beginning of another one's. */
  readonly flags: ReadonlySet<string>
}

function wrapper(valued = '', operands = 0, script = '', flags = ''): Wrapper {
  const set = (text: string) => new Set(text.split(/\s+/).filter((name) => name !== ''))
  return { valued: set(valued), operands, script: set(script), flags: set(flags) }
}

const groups = '-g -G --group --supp-group'
const inShell = '-c --command --session-command'

/** Programs that start the command behind their own options and operands. */
export const prefixes: ReadonlyMap<string, Wrapper> = new Map([
  [
    'sudo',
    wrapper(
      `-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --close-from --chdir --chroot --role --type --other-user
      --command-timeout`,
    ),
  ],
  ['doas', wrapper('-u -C')],
  ['env', wrapper('-u -C -a --unset --chdir --argv0', 0, '-S --split-string')],
  [
    'xargs',
    wrapper(
      '-I -L -n -P -s -d -E -a -J -R --max-args --max-procs --max-chars --delimiter --arg-file --process-slot-var',
    ),
  ],
  ['nohup', wrapper()],
  ['setsid', wrapper()],
  ['time', wrapper('-o -f --output --format')],
  ['nice', wrapper('-n --adjustment')],
  ['ionice', wrapper('-c -n --class --classdata')],
  ['chrt', wrapper('-T -P -D --sched-runtime --sched-period --sched-deadline', 1)],
  ['taskset', wrapper('', 1)],
  ['timeout', wrapper('-s -k --signal --kill-after', 1)],
  ['stdbuf', wrapper('-i -o -e --input --output --error')],
  ['command', wrapper()],
  ['builtin', wrapper()],
  ['exec', wrapper('-a')],
  ['busybox', wrapper()],
  ['toybox', wrapper()],
  ['chroot', wrapper('--userspec --groups', 1)],
  [
    'unshare',
    wrapper(
      `-S -G -R -w -l --setuid --setgid --root --wd --propagation --setgroups --map-user --map-group --map-users --map-groups
      --monotonic --boottime`,
    ),
  ],
  [
    'strace',
    wrapper(
      `-e -o -p -s -u -E -P -a -S -X -I -O -U -b --output --trace --trace-path --signal --inject --fault --abbrev --verbose --raw
      --read --write --status --detach-on --interruptible --const-print-style --env --user --string-limit --columns --attach`,
    ),
  ],
  ['watch', wrapper('-n -q --interval --equexit')],
  ['su', wrapper(`-s -w ${groups} --shell --whitelist-environment`, 1, inShell)],
  ['runuser', wrapper(`-u -s -w ${groups} --user --shell --whitelist-environment`, 0, inShell)],
  ['sg', wrapper('', 1, '-c')],
  ['flock', wrapper('-w -E --timeout --wait --conflict-exit-code', 1, '-c --command')],
  // Without a file, a command follows only with -c.
  [
    'script',
    wrapper(
      '-B -E -I -O -T -m -o --echo --log-in --log-out --log-io --log-timing --logging-format --output-limit',
      1,
      '-c --command',
    ),
  ],
  [
    'setpriv',
    wrapper(
      `--ambient-caps --inh-caps --bounding-set --ruid --euid --rgid --egid --reuid --regid --groups --securebits --pdeathsig
      --selinux-label --apparmor-profile`,
    ),
  ],
  ['nsenter', wrapper('-t -S -G -W --target --setuid --setgid')],
  ['prlimit', wrapper('-p -o --pid --output')],
  ['pkexec', wrapper('--user')],
  [
    'systemd-run',
    wrapper(
      `-p -u -E -H -M --property --unit --setenv --uid --gid --nice --slice --working-directory --host --machine --description
      --service-type --on-active --on-boot --on-startup --on-unit-active --on-unit-inactive --on-calendar --path-property
      --socket-property --timer-property`,
    ),
  ],
  [
    'parallel',
    wrapper(
      // options_completion_hash() of GNU parallel 20221122: those that end with `=`.
      `-B -C -D -E -H -I -J -L -N -P -S -U -W -a -d -j -n -s --arg-file --arg-file-sep --arg-sep --argfile --argfilesep --argsep
      --basefile --basenameextensionreplace --basenamereplace --bf --bin --block --block-size --block-timeout --blocksize
      --blocktimeout --bner --bnr --bt --col-sep --colsep --compress-program --compressprogram --ctag-string --ctagstring
      --debug --decompress-program --decompressprogram --delay --delimiter --dirnamereplace --dnr --env --er --extensionreplace
      --filter --group-by --groupby --halt --halt-on-error --haltonerror --header --id --jl --joblog --jobs --limit
      --linkinputsource --load --max-args --max-chars --max-procs --max-replace-args --maxargs --maxchars --maxprocs
      --maxreplaceargs --memfree --memsuspend --min-version --minversion --nice --parens --process-slot-var --processslotvar
      --profile --recend --recstart --res --result --results --retries --return --rpl --rsync-opts --rsyncopts --semaphore-name
      --semaphore-timeout --semaphorename --semaphoretimeout --seqreplace --shard --shell-completion --shellcompletion --slf
      --slotreplace --sql --sql-and-worker --sql-master --sql-worker --sqlandworker --sqlmaster --sqlworker --ssh --ssh-delay
      --sshdelay --sshlogin --sshloginfile --st --tag-string --tagstring --tempdir --template --term-seq --termseq --tf
      --timeout --tmpdir --tmpl --total --total-jobs --totaljobs --transfer-file --transfer-files --transferfile
      --transferfiles --trc --trim --use-compress-program --use-decompress-program --usecompressprogram --usedecompressprogram
      --wd --work-dir --workdir --xapplyinputsource`,
      0,
      '',
      '--compress --ctag --group --link --semaphore --tag --transfer --xapply',
    ),
  ],
  ['fakeroot', wrapper('-l -s -i -b --lib --faked')],
  ['caffeinate', wrapper('-t -w')],
  ['linux32', wrapper()],
  ['linux64', wrapper()],
])
