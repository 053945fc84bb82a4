import type { Socket } from 'node:net'
import { within } from '../../base/clock.ts'
import type { EngineConnection } from './engine.ts'

/**
 * The script of a container's first process. It prints the boot id of its kernel and its mounts, then an
 * empty line; after that it answers each input line with a count (`Count`). Its input is a connection of the
 * host process: when that closes for any reason, this process and the container end. It uses shell builtins
 * only: nothing is forked. Not `echo`, which in some shells decodes the backslashes of paths.
 */
export const keeperScript = `
for file in sys/kernel/random/boot_id self/mountinfo; do
  while read -r line; do printf '%s\\n' "$line"; done </proc/$file
done
echo
group=/sys/fs/cgroup tasks=/sys/fs/cgroup/pids.current events=/sys/fs/cgroup/memory.events
if [ -e $group/pids/pids.current ]; then
  tasks=$group/pids/pids.current events=$group/memory/memory.oom_control
fi
while read -r _; do
  count='-' killed='-'
  [ -r $tasks ] && read -r count <$tasks
  [ -r $events ] && while read -r name value; do [ "$name" = oom_kill ] && killed=$value; done <$events
  set -- /proc/[0-9]*
  echo "$count $# $killed"
done`

export interface ContainerCounts {
  /** Tasks of its cgroup (pids.current), from which no process escapes by forking. Undefined: unknown. */
  readonly tasks: number | undefined
  readonly processes: number
  /** Processes that the kernel killed at the memory limit (`oom_kill`). Undefined: unknown. */
  readonly oomKills: number | undefined
}

/** What the first process reports about its container. */
export interface Introduction {
  readonly kernel: string
  readonly mountinfo: string
}

/** How long a running first process may take to report its mounts. */
const introductionMs = 10_000
const answerMs = 2000

export class Keeper {
  /** Resolves when the connection, and so the container, has ended. */
  readonly ended: Promise<void>
  #hasEnded = false
  readonly #socket: Socket
  readonly #answers: ((line: string) => void)[] = []
  #text = ''
  #line = ''
  #errors = ''
  readonly #introduced: Promise<void>
  #arrived: () => void = () => {}

  constructor({ socket, head }: EngineConnection) {
    this.#socket = socket
    this.#introduced = new Promise((resolve) => {
      this.#arrived = resolve
    })
    const frames = engineFrames((stream, bytes) => {
      if (stream === 'stderr') this.#errors += bytes.toString()
      else this.#read(bytes.toString('latin1'))
    })
    this.ended = new Promise((resolve) => {
      const end = () => {
        this.#hasEnded = true
        this.#arrived()
        for (const answer of this.#answers.splice(0)) answer('')
        resolve()
      }
      socket.once('end', end).once('close', end).on('error', end)
    })
    frames.add(head)
    socket.on('data', (chunk: Buffer) => frames.add(chunk))
    socket.unref()
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Once the container has been started. Undefined: it has ended, or is silent. */
  async introduction(): Promise<Introduction | undefined> {
    await within(this.#introduced, introductionMs, undefined)
    if (!this.#isIntroduced) return undefined
    const end = this.#text.indexOf('\n')
    return { kernel: this.#text.slice(0, end), mountinfo: this.#text.slice(end + 1) }
  }

  /** What it wrote to stderr. */
  get errors(): string {
    return this.#errors.trim()
  }

  /** Makes it count. Undefined when it does not answer because it has ended or is frozen. */
  count(): Promise<ContainerCounts | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    const answer = new Promise<string>((resolve) => this.#answers.push(resolve))
    this.#socket.write('\n')
    return within(answer.then(readCount), answerMs, undefined)
  }

  /** Closes its input: the container ends with everything in it. */
  end(): void {
    this.#socket.end()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  get #isIntroduced(): boolean {
    return this.#text.endsWith('\n\n')
  }

  #read(text: string): void {
    if (!this.#isIntroduced) {
      this.#text += text
      if (this.#isIntroduced) this.#arrived()
      return
    }
    const lines = (this.#line + text).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) this.#answers.shift()?.(line)
  }
}

function readCount(line: string): ContainerCounts | undefined {
  const [tasks, processes, oomKills] = line.split(' ').map((word) => Number.parseInt(word, 10))
  if (processes === undefined || Number.isNaN(processes)) return undefined
  return { tasks: known(tasks), processes, oomKills: known(oomKills) }
}

function known(number: number | undefined): number | undefined {
  return Number.isNaN(number) ? undefined : number
}

/** Stream, three zeros, length in big-endian (API reference, "Attach to a container"). */
const headBytes = 8

export type FrameStream = 'stdout' | 'stderr'

/** By number; 0 is the echo of stdin. */
const streams: readonly FrameStream[] = ['stdout', 'stdout', 'stderr']

/** Splits a stream of frames, such as an engine's. Buffers no more than a frame's header. */
export class Frames<Name> {
  readonly #take: (stream: Name, bytes: Buffer) => void
  readonly #names: readonly Name[]
  readonly #head = Buffer.alloc(headBytes)
  #headLength = 0
  #left = 0
  #stream: Name | undefined

  /** @param take called with every piece as it arrives */
  constructor(take: (stream: Name, bytes: Buffer) => void, names: readonly Name[]) {
    this.#take = take
    this.#names = names
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; )
      at += this.#left > 0 ? this.#body(chunk, at) : this.#begin(chunk, at)
  }

  #body(chunk: Buffer, at: number): number {
    const bytes = chunk.subarray(at, at + this.#left)
    this.#left -= bytes.length
    if (this.#stream !== undefined) this.#take(this.#stream, bytes)
    return bytes.length
  }

  #begin(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#head, this.#headLength, at, at + headBytes - this.#headLength)
    this.#headLength += copied
    if (this.#headLength < headBytes) return copied
    this.#headLength = 0
    this.#stream = this.#names[this.#head[0] ?? 0]
    this.#left = this.#head.readUInt32BE(4)
    return copied
  }
}

export function engineFrames(take: (stream: FrameStream, bytes: Buffer) => void): Frames<FrameStream> {
  return new Frames(take, streams)
}
