import type { Shell } from '../../internal.ts'

const forwarded: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']

/** Forwards our signals to the group; a second SIGINT kills it. Returns a function that stops this. */
export function forwardSignals(shell: Shell): () => void {
  let interrupted = false
  const forward = (name: NodeJS.Signals) => {
    const kill = name === 'SIGINT' && interrupted
    interrupted ||= name === 'SIGINT'
    shell.signal(kill ? 'SIGKILL' : name)
  }
  for (const name of forwarded) process.on(name, forward)
  return () => {
    for (const name of forwarded) process.off(name, forward)
  }
}
