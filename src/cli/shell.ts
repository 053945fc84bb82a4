import { homedir } from 'node:os'
import { hostSupport, openShell, type Shell } from '../index.ts'
import { prefixed, tooManyWords } from '../result/explain-cli.ts'
import {
  exitUsage,
  modeLine,
  promptText,
  shellGreeting,
  shellHelp,
  unknownColon,
} from '../result/explain-shell.ts'
import { loadGiven, sayIgnored } from './configuration.ts'
import { milliseconds } from './duration.ts'
import { fail } from './fail.ts'
import { grammar } from './grammar.ts'
import { misuse, type Options, parseOptions } from './options.ts'
import { backendOf } from './order.ts'
import { Passage } from './passage.ts'
import { runInTerminal } from './pty.ts'
import { runStreaming } from './run.ts'
import { type Lines, PipedLines, TypedLines } from './shell/lines.ts'
import { ownWord } from './shell/words.ts'
import { standardError, standardOutput } from './sink.ts'
import { isTerminal } from './terminal.ts'

/** `vitrine shell`: lines are run one after the other, as they are typed or read. */
export async function main(args: readonly string[]): Promise<number> {
  const options = parseOptions(args, grammar.shell.options)
  const [word] = options.words
  if (word !== undefined) throw misuse(tooManyWords(word, 'shell'))
  const shell = await open(options)
  await sayIgnored(shell)
  const given = options.values.get('timeout')
  const timeoutMs = given === undefined ? shell.config.shell.max_timeout_ms : milliseconds('--timeout', given)
  const session = new Session(shell, timeoutMs)
  const code = await session.run()
  await shell.close()
  return code
}

async function open({ flags, values }: Options): Promise<Shell> {
  const cwd = values.get('cwd')
  return openShell({
    cwd,
    config: await loadGiven({ cwd, config: values.get('config'), workspace: values.get('workspace') }),
    backend: backendOf(values.get('backend')),
    mode: flags.has('write') ? 'write' : undefined,
    network: flags.has('network') ? true : undefined,
    privateTmp: flags.has('private-tmp') ? true : undefined,
    approver: flags.has('ask') ? (await import('./ask.ts')).asker(undefined) : undefined,
  })
}

/** What is kept between two lines. */
class Session {
  readonly #shell: Shell
  readonly #timeoutMs: number
  readonly #typed = isTerminal(0) && isTerminal(1)
  readonly #lines: Lines
  #directory: string
  #before: string
  #code = 0
  /** Set when it is to end. */
  #exit: number | undefined

  constructor(shell: Shell, timeoutMs: number) {
    this.#shell = shell
    this.#timeoutMs = timeoutMs
    this.#directory = shell.cwd
    this.#before = shell.cwd
    this.#lines = this.#typed ? new TypedLines(() => this.#directory) : new PipedLines()
  }

  async run(): Promise<number> {
    if (this.#typed) await say(shellGreeting)
    for (const [name, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.on(name, () => this.#end(code))
    while (this.#exit === undefined) {
      const line = await this.#lines.next(this.#prompt())
      if (line === undefined) break
      await this.#take(line).catch(async (error: unknown) => {
        this.#code = await fail(error, { json: false })
      })
      if (standardOutput.broken !== undefined) break
    }
    this.#lines.close()
    return this.#exit ?? this.#code
  }

  #end(code: number): void {
    this.#exit ??= code
    this.#lines.close()
  }

  #prompt(): string {
    const home = homedir()
    const isHome = this.#directory === home || this.#directory.startsWith(`${home}/`)
    const shown = isHome ? `~${this.#directory.slice(home.length)}` : this.#directory
    return promptText(this.#shell.mode, shown, this.#typed && process.env['NO_COLOR'] === undefined)
  }

  async #take(line: string): Promise<void> {
    const own = ownWord(line)
    switch (own?.kind) {
      case undefined:
        this.#code = await this.#command(line)
        return
      case 'nothing':
        return
      case 'cd':
        this.#code = await this.#changeDirectory(own.to)
        return
      case 'mode':
        this.#shell.mode = own.mode
        this.#code = 0
        return say(modeLine(own.mode))
      case 'help':
        return standardOutput.write(shellHelp)
      case 'unknown':
        throw misuse(unknownColon(own.word))
      case 'exit':
        if (Number.isNaN(own.code)) throw misuse(exitUsage)
        this.#end(own.code ?? this.#code)
    }
  }

  /** In a terminal of its own where there is one for it and one to show it in. */
  async #command(line: string): Promise<number> {
    const requests = [{ command: line, cwd: this.#directory, timeoutMs: this.#timeoutMs }]
    if (this.#typed && canGiveTerminals()) return runInTerminal(this.#shell, { requests })
    return runStreaming(this.#shell, { each: false, requests, stdin: '' }, new Passage())
  }

  /** sh reads what stands behind `cd`, as it does everywhere else, and says where that leads. */
  async #changeDirectory(to: string): Promise<number> {
    const target = to === '-' ? quoted(this.#before) : to === '' ? '~' : to
    const { exitCode, stdout, stderr } = await this.#shell.execute({
      command: `cd ${target} >/dev/null && pwd && echo .`,
      cwd: this.#directory,
    })
    await standardError.write(stderr)
    if (exitCode !== 0) return exitCode ?? 1
    // A comment in the line takes what tells the directory with it: then nothing has changed.
    if (!stdout.endsWith(endOfPath)) return 0
    this.#before = this.#directory
    this.#directory = stdout.slice(0, -endOfPath.length)
    return 0
  }
}

/** Behind the directory: a name can end in a line feed. */
const endOfPath = '\n.\n'

function canGiveTerminals(): boolean {
  const { platform, missing } = hostSupport()
  return platform === 'linux' && missing === undefined
}

function quoted(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}

function say(text: string): Promise<void> {
  return standardError.write(prefixed(text))
}
