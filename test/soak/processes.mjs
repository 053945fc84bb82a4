// Processes as /proc shows them.
import { readdirSync, readFileSync, statSync } from 'node:fs'

function unlessGone(look, otherwise) {
  try {
    return look()
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'ESRCH') return otherwise
    throw error
  }
}

const numbers = (path) => readdirSync(path).filter((name) => /^[0-9]+$/.test(name))

// The name in the middle may hold anything.
const fieldsOf = (stat) => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

const runs = (path) => !['Z', 'X'].includes(fieldsOf(readFileSync(path, 'utf8'))[0])

/** A process whose first thread has ended shows as a zombie without arguments, while its others go on. */
function look(pid) {
  return unlessGone(() => {
    const [state, parent] = fieldsOf(readFileSync(`/proc/${pid}/stat`, 'utf8'))
    const tasks = numbers(`/proc/${pid}/task`).map((task) => `/proc/${pid}/task/${task}`)
    const commandLine = tasks.map((task) => readFileSync(`${task}/cmdline`, 'utf8')).join('')
    const running = tasks.some((task) => runs(`${task}/stat`))
    return { pid: Number(pid), parent: Number(parent), state, commandLine, running }
  }, undefined)
}

export const allProcesses = () =>
  numbers('/proc')
    .map(look)
    .filter((entry) => entry !== undefined)

export const ownChildren = () => allProcesses().filter(({ parent }) => parent === process.pid)

/** The running processes that carry the text in their arguments. */
export function aliveWith(text) {
  return numbers('/proc')
    .filter((pid) => {
      if (Number(pid) === process.pid) return false
      const commandLine = unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), 'gone')
      if (commandLine !== '' && !commandLine.includes(text)) return false
      const entry = look(pid)
      return entry?.running === true && entry.commandLine.includes(text)
    })
    .map(Number)
}

/** Whether a process holds a lock of flock(2) on the file. */
export function isLocked(path) {
  const inode = statSync(path).ino
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => / FLOCK /.test(line) && line.includes(`:${inode} `))
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

/** Asks again until it holds or the time is up; returns whether it held. */
export async function waitFor(holds, withinMs) {
  for (const deadline = performance.now() + withinMs; !holds(); await pause(20))
    if (performance.now() > deadline) return false
  return true
}

/** Waits until no process with the text is left; returns those that are. One look alone can miss a process that forks all the time. */
export async function survivors(text, withinMs) {
  let left = []
  let empty = 0
  await waitFor(() => {
    left = aliveWith(text)
    empty = left.length === 0 ? empty + 1 : 0
    return empty >= 3
  }, withinMs)
  return left
}

export function end(pid, signal = 'SIGKILL') {
  unlessGone(() => process.kill(pid, signal), false)
}
