import { homeDirectory } from '../../base/paths.ts'
import {
  type ExecuteRequest,
  historyFile,
  hostSupport,
  type LineOptions,
  type LineState,
  type Shell,
  shellPlace,
} from '../../internal.ts'
import { prefixed } from '../../messages/cli/run.ts'
import {
  continuationPrompt,
  directoryGone,
  endedStopped,
  exitUsage,
  historyLost,
  jobsText,
  modeLine,
  noStopped,
  promptText,
  shellGreeting,
  shellHelp,
  stoppedLine,
  unknownColon,
} from '../../messages/cli/shell.ts'
import { misuse } from '../options.ts'
import { OutputRelay } from '../run/relay.ts'
import { runStreaming } from '../run/run.ts'
import { standardError, standardOutput } from '../run/sink.ts'
import { TerminalCommand } from '../run/terminal-command.ts'
import { isTerminal } from '../terminal.ts'
import { Command } from './continuation.ts'
import { changedDirectory, existingDirectory } from './directory.ts'
import { History } from './history.ts'
import { type LineSource, PipedLines } from './lines.ts'
import { SessionState } from './state.ts'
import { TypedLines } from './typed-lines.ts'
import { type OwnWord, ownWord } from './words.ts'

/** 128 + SIGINT */
const interrupted = 130
/** 128 + SIGTSTP */
const stoppedCode = 148

interface Stopped {
  readonly line: string
  readonly command: TerminalCommand
}

export class InteractiveSession {
  readonly #shell: Shell
  readonly #timeoutMs: number
  readonly #typed: TypedLines | undefined
  readonly #keepsState: boolean
  /** The path of the shell that reads lines. */
  readonly #reader: string
  readonly #state: SessionState
  readonly #history: History | undefined
  readonly #lines: LineSource
  #stopped: Stopped[] = []
  #before: string
  #code = 0
  #exit: number | undefined

  constructor(shell: Shell, timeoutMs: number) {
    this.#shell = shell
    this.#timeoutMs = timeoutMs
    this.#keepsState = shell.config.shell.backend === 'local' && isNativeLinux()
    this.#state = new SessionState(shell.cwd)
    this.#before = shell.cwd
    this.#reader = shellPlace(shell.config.shell.program)
    if (isTerminal(0) && isTerminal(1)) {
      this.#history = new History(historyFile(process.env))
      this.#typed = new TypedLines(() => this.#place(), this.#history)
    }
    this.#lines = this.#typed ?? new PipedLines()
  }

  async run(): Promise<number> {
    if (this.#typed) await say(shellGreeting(this.#shell.mode))
    for (const [name, code] of [
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const)
      process.on(name, () => this.#end(code))
    while (this.#exit === undefined) {
      const command = await this.#next()
      if (command === undefined) break
      await this.#take(command).catch(async (error: unknown) => {
        this.#code = await (await import('../fail.ts')).fail(error, { json: false })
      })
      await this.#sayHistoryLost()
      if ((standardOutput.broken ?? standardError.broken) !== undefined) break
    }
    this.#lines.close()
    if (this.#stopped.length > 0) await say(endedStopped(this.#stopped.map(({ line }) => line)))
    return this.#exit ?? this.#code
  }

  #end(code: number): void {
    this.#exit ??= code
    this.#lines.close()
  }

  /** The next command, possibly of several lines; undefined: end of input. */
  async #next(): Promise<string | undefined> {
    const line = await this.#lines.next(this.#prompt())
    if (typeof line !== 'string') return this.#discarded(line)
    if (this.#ownWord(line)) return line
    const command = new Command(line, this.#reader)
    while (await command.isUnfinished()) {
      const more = await this.#lines.next(continuationPrompt)
      if (more === null) return this.#discarded(more)
      // At the end of the input, sh reports what is missing.
      if (more === undefined) break
      command.add(more)
    }
    return command.text
  }

  #discarded(line: null | undefined): string | undefined {
    if (line === undefined) return undefined
    this.#code = interrupted
    return ''
  }

  #ownWord(command: string): OwnWord | undefined {
    return ownWord(command, { keepsState: this.#keepsState })
  }

  #place() {
    const path = this.#state.variables(this.#shell.mode)['PATH'] ?? process.env['PATH'] ?? ''
    return { directory: this.#state.directory, path }
  }

  #prompt(): string {
    const home = homeDirectory()
    const { directory } = this.#state
    const isHome = directory === home || directory.startsWith(`${home}/`)
    const shown = isHome ? `~${directory.slice(home.length)}` : directory
    return promptText(
      this.#shell.mode,
      shown,
      this.#typed !== undefined && process.env['NO_COLOR'] === undefined,
    )
  }

  async #take(command: string): Promise<void> {
    const own = this.#ownWord(command)
    if (own) return this.#obey(own)
    const there = existingDirectory(this.#state.directory)
    if (there === this.#state.directory) {
      this.#code = await this.#run(command)
      return
    }
    const gone = this.#state.directory
    this.#state.directory = there
    this.#code = 1
    return say(directoryGone(gone, there))
  }

  async #obey(own: OwnWord): Promise<void> {
    switch (own.kind) {
      case 'nothing':
        return
      case 'cd':
        this.#code = await this.#changeDirectory(own.to)
        return
      case 'mode':
        this.#shell.mode = own.mode
        this.#code = 0
        return say(modeLine(own.mode, this.#state.leftBehind(own.mode)))
      case 'foreground':
        this.#code = await this.#foreground(this.#stopped.pop())
        return
      case 'jobs':
        return standardOutput.write(jobsText(this.#stopped.map(({ line }) => line)))
      case 'help':
        return standardOutput.write(shellHelp)
      case 'unknown':
        throw misuse(unknownColon(own.word))
      case 'exit':
        if (Number.isNaN(own.code)) throw misuse(exitUsage)
        this.#end(own.code ?? this.#code)
    }
  }

  /** Runs the line in a terminal of its own, if one can be made and shown. */
  async #run(line: string): Promise<number> {
    const { mode } = this.#shell
    const request = { command: line, cwd: this.#state.directory, timeoutMs: this.#timeoutMs }
    const options = {
      variables: this.#state.variables(mode),
      exitCode: this.#code,
      onState: (left: LineState) => this.#state.take(mode, left),
    }
    if (!this.#typed || !this.#keepsState) return this.#stream(request, options)
    const command = await TerminalCommand.start(this.#shell, request, options)
    return typeof command === 'number' ? command : this.#foreground({ line, command })
  }

  #stream(request: ExecuteRequest, line: LineOptions): Promise<number> {
    this.#typed?.share()
    const work = { each: false, requests: [request], stdin: '', ...(this.#keepsState && { line }) }
    const relay = new OutputRelay()
    return runStreaming(this.#shell, work, relay, relay.signal)
  }

  async #foreground(job: Stopped | undefined): Promise<number> {
    if (!job) throw misuse(noStopped)
    const code = await job.command.foreground()
    if (code === interrupted) this.#typed?.forget()
    this.#typed?.unread(job.command.takeUnread())
    if (code !== 'stopped') return code
    this.#stopped.push(job)
    await say(stoppedLine(job.line))
    return stoppedCode
  }

  async #changeDirectory(to: string): Promise<number> {
    const { directory } = this.#state
    const changed = await changedDirectory(this.#shell, directory, to, this.#before)
    if (typeof changed === 'number') return changed
    this.#before = directory
    this.#state.directory = changed
    return 0
  }

  async #sayHistoryLost(): Promise<void> {
    const lost = this.#history?.takeFailure()
    if (lost !== undefined) await say(historyLost(historyFile(process.env), lost))
  }
}

function isNativeLinux(): boolean {
  const { platform, missing } = hostSupport()
  return platform === 'linux' && missing === undefined
}

function say(text: string): Promise<void> {
  return standardError.write(prefixed(text))
}
