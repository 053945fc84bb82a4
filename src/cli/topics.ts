const scratchpad = `vitrine scratchpad: the saved outputs of every session

Usage:
  vitrine scratchpad list [--json]  list every session with its outputs, newest last
  vitrine scratchpad show NAME      print the bytes of an output; of several with that name the newest; SESSION/NAME selects one
  vitrine scratchpad clear          remove all sessions that are not in use

Output is saved if it is too long for its result, or if --scratchpad names it. It is kept for seven days, and 4 GiB in all.

Examples:
  vitrine run --scratchpad log -- git log --stat
  vitrine scratchpad show log | less
`

const jobs = `vitrine ps: the commands of "vitrine run --background"

Usage:
  vitrine ps [--json]           list id, age, mode, state, addresses at which it listens, command
  vitrine logs [--follow] ID    print its output so far, both streams in order; --follow: until it ends
  vitrine stop ID               end it (SIGTERM, the grace, SIGKILL); one that has ended is forgotten

A command ends by itself, by "stop", at its --timeout, and with its owner: the leader of the session of "vitrine run" (the shell of
your terminal), vitrine's parent where vitrine leads the session itself, or the process that --owner names. If its process of vitrine
is killed, it is "lost": the command is killed, too. What has ended is kept for seven days, and 4 GiB in all.

Examples:
  id=$(vitrine run --mode workspace --background -- npm run dev)
  vitrine logs --follow "$id"
`

/** The help on what commands leave: saved outputs, and commands that run on. */
export const keptTopics = { scratchpad, ps: jobs, logs: jobs, stop: jobs }
