import { parseJsonc } from '../base/edits.ts'

/** What a settings file in JSON says. A module of its own, to be imported late: most projects have no such file. */
export function settingsIn(text: string): unknown {
  return parseJsonc(text)
}
