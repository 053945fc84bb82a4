import type { HintReader } from '../base/hint.ts'
import { visible } from '../base/text.ts'

export function describeOutside(path: string, workspace: string): string {
  return `The directory ${visible(path)} is outside the workspace ${visible(workspace)}, the only part of this machine in a container. Run the command inside it, or name another directory with --workspace.`
}

export const noTerminalInContainer =
  'The docker backend gives no command a terminal (pty). Run the command without one, or with --backend local.'

/** The only values that these settings may have with this backend. */
export const limitsOfContainer = '0, because [docker] memory limits the container'
export const unreadableInContainer =
  '[], because a container has the whole workspace and nothing else of this machine'

/** @param said why the engine does not know how the command ended */
export function lostHint(said: string, reader: HintReader): string {
  const check = reader !== 'user' ? 'ask the user to check with' : 'check with'
  return `vitrine lost the Docker engine or the container (${said}), so it is unknown how the command ended. It may still be running; ${check} "vitrine docker status".`
}

export function lostAdvice(reader: HintReader): string {
  const remedy =
    reader !== 'user'
      ? 'try again; if that fails too, tell the user'
      : 'make sure that the engine runs, then try again'
  return `The Docker engine or the container is gone: ${remedy}.`
}
