import type { Socket } from 'node:net'
import type { Connection } from './engine/engine.ts'
import { Frames } from './engine/frames.ts'

/**
 * The script of a container's first process. It says which kernel it runs on and what is mounted, then an empty line. From then
 * on it answers each line of its input with a count (`Count`). The input is a connection of the host's process: when that ends,
 * however it does, so do this process and the container. Only builtins of the shell: nothing is forked.
 */
export const keeperScript = `
for file in sys/kernel/random/boot_id self/mountinfo; do
  while read -r line; do echo "$line"; done </proc/$file
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

/** What a container holds at one moment. */
export interface Count {
  /** Tasks in its cgroup (pids.current): one number of the kernel's, which no process escapes by forking. Undefined: not known. */
  readonly tasks: number | undefined
  /** Processes as /proc lists them. */
  readonly processes: number
  /** Processes that the kernel has killed for its memory (`oom_kill`). Undefined: not known. */
  readonly oomKills: number | undefined
}

/** What the first process says of the container it runs in, or why it says nothing. */
export type Introduction =
  | { readonly kind: 'said'; readonly kernel: string; readonly mountinfo: string }
  /** It ended: its last words. */
  | { readonly kind: 'ended'; readonly words: string }
  | { readonly kind: 'silent' }

/** How long a first process that runs may take to say what is mounted. */
const introductionMs = 10_000
/** How long it may take to answer. */
const answerMs = 2000

/** The connection to a container's first process. */
export class Keeper {
  /** The connection, and so the container, has ended. */
  readonly ended: Promise<void>
  #hasEnded = false
  readonly #socket: Socket
  readonly #answers: ((line: string) => void)[] = []
  /** What it said first. */
  #text = ''
  /** The beginning of an answer. */
  #line = ''
  #errors = ''
  #arrived: () => void = () => {}

  constructor({ socket, head }: Connection) {
    this.#socket = socket
    const frames = new Frames((stream, bytes) => {
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

  /** What it says first. To be called once it has been started. */
  async introduction(): Promise<Introduction> {
    if (!this.#isIntroduced && !this.#hasEnded) await this.#introduced()
    if (!this.#isIntroduced)
      return this.#hasEnded ? { kind: 'ended', words: this.#errors.trim() } : { kind: 'silent' }
    const end = this.#text.indexOf('\n')
    return { kind: 'said', kernel: this.#text.slice(0, end), mountinfo: this.#text.slice(end + 1) }
  }

  /** Has it count what is in the container. Undefined when it does not answer: it has ended, or stands still. */
  count(): Promise<Count | undefined> {
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

  /** Ends its input: the container ends with everything in it. */
  end(): void {
    this.#socket.end()
  }

  /** Gives the connection up. */
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

function readCount(line: string): Count | undefined {
  const [tasks, processes, oomKills] = line.split(' ').map((word) => Number.parseInt(word, 10))
  if (processes === undefined || Number.isNaN(processes)) return undefined
  return { tasks: known(tasks), processes, oomKills: known(oomKills) }
}

function known(number: number | undefined): number | undefined {
  return Number.isNaN(number) ? undefined : number
}
