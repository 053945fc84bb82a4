import { type Mode, modes } from '../../internal.ts'

/** A line that `vitrine shell` handles itself. */
export type OwnWord =
  | { readonly kind: 'nothing' }
  /** `to` is interpreted by sh; empty: home. */
  | { readonly kind: 'cd'; readonly to: string }
  | { readonly kind: 'mode'; readonly mode: Mode }
  | { readonly kind: 'help' | 'foreground' | 'jobs' }
  | { readonly kind: 'unknown'; readonly word: string }
  /** Undefined code: that of the last command. NaN: invalid code. */
  | { readonly kind: 'exit'; readonly code: number | undefined }

export const colonWords: readonly string[] = [':help', ...modes.map((mode) => `:${mode}`)]
/** Completed besides the programs in PATH: our own words, and builtins of sh that may begin a line. */
export const ownPrograms: readonly string[] = ['cd', 'exit', 'export', 'fg', 'jobs', 'unset']

/** Undefined: it is a command. `cd` is left to sh, except where no directory is reported back. */
export function ownWord(line: string, { keepsState }: { readonly keepsState: boolean }): OwnWord | undefined {
  const [word = '', ...rest] = line.trim().split(/\s+/)
  if (word === '' || word.startsWith('#')) return { kind: 'nothing' }
  if (word === 'cd' && !keepsState && !/[;&|<>()`\n]/.test(line))
    return { kind: 'cd', to: line.trim().slice(2).trim() }
  if (word === 'exit') return exitOf(rest)
  if (keepsState && rest.length === 0 && word === 'fg') return { kind: 'foreground' }
  if (keepsState && rest.length === 0 && word === 'jobs') return { kind: 'jobs' }
  // `:` alone is a command of sh.
  if (!/^:\w/.test(word)) return undefined
  if (word === ':help') return { kind: 'help' }
  const mode = modes.find((known) => word === `:${known}`)
  if (mode) return { kind: 'mode', mode }
  return { kind: 'unknown', word }
}

function exitOf([code, ...more]: readonly string[]): OwnWord {
  if (code === undefined) return { kind: 'exit', code: undefined }
  const isCode = more.length === 0 && /^\d{1,3}$/.test(code) && Number(code) <= 255
  return { kind: 'exit', code: isCode ? Number(code) : Number.NaN }
}
