import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Arrange, Outside, Target } from '../attack.ts'

const read = (path: string) => readFileSync(path, 'utf8')

/** The names and addresses of this machine. */
function observeHost(): unknown {
  const { lo: loopback = [] } = networkInterfaces()
  return {
    name: read('/proc/sys/kernel/hostname'),
    domain: read('/proc/sys/kernel/domainname'),
    swaps: read('/proc/swaps'),
    loopback: loopback.map(({ address }) => address),
  }
}

/** The machine itself. Attempts on it set what is there already, so this stays the same in any case. */
export const host: Arrange = (outside): Target => ({
  offers: { directory: outside.directory },
  observe: observeHost,
  // Only the attempt to add this very address leaves anything behind.
  dispose: () => void spawnSync('ip', ['address', 'del', '127.77.77.77/32', 'dev', 'lo']),
})

function mountsBeneath(directory: string): readonly string[] {
  return read('/proc/self/mountinfo')
    .split('\n')
    .filter((line) => line.split(' ')[4]?.startsWith(directory))
    .map((line) => line.split(' ').slice(3, 6).join(' '))
}

function unmountAll(directory: string): void {
  for (const line of mountsBeneath(directory)) spawnSync('umount', ['-l', line.split(' ')[1] ?? ''])
}

/** Two directories to mount on; with `mounted`, the first is a mount of its own already (root only). */
export function mountPoints(mounted: boolean): Arrange {
  return (outside: Outside): Target => {
    const [place, source] = [join(outside.directory, 'place'), join(outside.directory, 'source')]
    mkdirSync(place)
    mkdirSync(source)
    if (mounted) spawnSync('mount', ['--bind', place, place])
    return {
      offers: { directory: outside.directory, place, source },
      observe: () => mountsBeneath(outside.directory),
      dispose: () => {
        unmountAll(outside.directory)
        rmSync(place, { recursive: true })
      },
    }
  }
}

/** The living processes whose command line holds the token. Zombies have no command line. */
function processesWith(token: string): readonly number[] {
  const holds = (pid: string) => {
    try {
      return read(`/proc/${pid}/cmdline`).includes(token)
    } catch {
      return false // it ended while we looked
    }
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .sort((a, b) => Number(b) - Number(a)) // the youngest first, before it ends
    .filter(holds)
    .map(Number)
}

/**
 * Finding nothing once is not enough: while a process becomes another program it has no command line, and one that keeps
 * changing its number can be missed among thousands of zombies.
 */
const mostLooks = 4

async function lookAgain(token: string): Promise<readonly number[]> {
  for (let looks = 1; looks < mostLooks; looks++) {
    const found = processesWith(token)
    if (found.length > 0) return found
    await setTimeout(30)
  }
  return processesWith(token)
}

/** What is left of a command that carries this attempt's own directory in its command line. */
export const survivors: Arrange = (outside): Target => {
  const { directory } = outside
  symlinkSync('/bin/sleep', join(directory, 'sleep'))
  return {
    offers: { directory, token: directory, sleep: join(directory, 'sleep') },
    observe: async () => (await lookAgain(directory)).length > 0,
    dispose: async () => {
      for (const pid of await lookAgain(directory)) process.kill(pid, 'SIGKILL')
    },
  }
}

/** What the process that holds the shell has open: a file for writing, a directory. */
export const inheritedDescriptors: Arrange = (outside): Target => {
  const { inherited } = outside
  if (!inherited) throw new Error('nothing was left open')
  return {
    offers: {
      directory: outside.directory,
      descriptor: String(inherited.descriptor),
      directoryDescriptor: String(inherited.directoryDescriptor),
    },
    observe: () => [read(inherited.file), readdirSync(inherited.directory)],
    dispose: () => rmSync(join(inherited.directory, 'new'), { force: true }),
  }
}
