import type { ExecuteOptions, Pty, Shell, StartRequest } from '../../../../src/index.ts'

/** A command in its terminal, and what it has shown so far. */
export interface Session extends Pty {
  text(): string
  /** What has been shown, as soon as it matches; throws with it when it does not in time. */
  shows(wanted: string | RegExp, withinMs?: number): Promise<string>
}

/** Starts a command in a terminal, and keeps what it shows. */
export async function startSession(
  shell: Shell,
  request: Omit<StartRequest, 'pty'>,
  options: ExecuteOptions = {},
): Promise<Session> {
  const chunks: Buffer[] = []
  const text = () => Buffer.concat(chunks).toString()
  const pty = await shell.start(
    { timeoutMs: 30_000, ...request, pty: true },
    { ...options, onOutput: (_, chunk) => void chunks.push(chunk) },
  )
  return { ...pty, text, shows: (wanted, withinMs = 10_000) => awaitText(text, wanted, withinMs) }
}

async function awaitText(text: () => string, wanted: string | RegExp, withinMs: number): Promise<string> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const shown = text()
    if (typeof wanted === 'string' ? shown.includes(wanted) : wanted.test(shown)) return shown
    if (Date.now() > deadline) throw new Error(`${wanted} was not shown:\n${JSON.stringify(shown)}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

/** A shell that reads no file of the user's. */
export const interactiveBash: readonly string[] = ['bash', '--norc', '--noprofile', '--noediting', '-i']
/** It asks. */
export const prompt = /bash-[\d.]+[$#] $/
