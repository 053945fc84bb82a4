import type { Socket } from 'node:net'
import type { EngineConnection } from './engine.ts'
import { engineFrames } from './frames.ts'

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

/** What the first process reports about its container, or why it reports nothing. */
export type Introduction =
  | { readonly kind: 'said'; readonly kernel: string; readonly mountinfo: string }
  /** It ended: what it wrote to stderr. */
  | { readonly kind: 'ended'; readonly words: string }
  | { readonly kind: 'silent' }

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
  #arrived: () => void = () => {}

  constructor({ socket, head }: EngineConnection) {
    this.#socket = socket
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

  /** Call this once the container has been started. */
  async introduction(): Promise<Introduction> {
    if (!this.#isIntroduced && !this.#hasEnded) await this.#introduced()
    if (!this.#isIntroduced)
      return this.#hasEnded ? { kind: 'ended', words: this.#errors.trim() } : { kind: 'silent' }
    const end = this.#text.indexOf('\n')
    return { kind: 'said', kernel: this.#text.slice(0, end), mountinfo: this.#text.slice(end + 1) }
  }

  /** Makes it count. Undefined when it does not answer because it has ended or is frozen. */
  count(): Promise<ContainerCounts | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const late = setTimeout(() => resolve(undefined), answerMs)
      this.#answers.push((line) => {
        clearTimeout(late)
        resolve(readCount(line))
      })
      this.#socket.write('\n')
    })
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

  #introduced(): Promise<void> {
    return new Promise((resolve) => {
      const late = setTimeout(resolve, introductionMs)
      this.#arrived = () => {
        clearTimeout(late)
        resolve()
      }
    })
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
