import type { Mode, Result } from '../../base/types.ts'
import { denialLines } from '../denials.ts'
import { worthTelling } from '../fallbacks.ts'
import { afterLines } from './run.ts'

const greetings: Readonly<Record<Mode, string>> = {
  read: 'read mode: the operating system refuses every change.',
  workspace: 'workspace mode: the operating system refuses changes outside the workspace.',
  write: 'write mode: commands run unsandboxed, with your rights.',
}

export function shellGreeting(mode: Mode): string {
  return `${greetings[mode]} "exit" leaves it.`
}

/** The lines about a shell that has ended: the refusals of all its commands. A hint would be about one command. */
export function linesAfterShell({ hint: _, denials, ...result }: Result): readonly string[] {
  const told = worthTelling(denials, { errors: '', single: true })
  return [...afterLines({ ...result, denials: [] } as Result), ...denialLines(told)]
}
