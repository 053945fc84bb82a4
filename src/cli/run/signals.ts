import type { Shell } from '../../internal.ts'

const forwarded: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']
/** Not SIGHUP and SIGQUIT: servers read their settings again at each, Java prints its threads. */
const insistent: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']

/** Forwards our signals to the group; a second SIGINT, or a second SIGTERM, kills it. Returns a function that stops this. */
export function forwardSignals(shell: Shell): () => void {
  const seen = new Set<NodeJS.Signals>()
  const forward = (name: NodeJS.Signals) => {
    const kill = seen.has(name) && insistent.includes(name)
    seen.add(name)
    shell.signal(kill ? 'SIGKILL' : name)
  }
  for (const name of forwarded) process.on(name, forward)
  return () => {
    for (const name of forwarded) process.off(name, forward)
  }
}
