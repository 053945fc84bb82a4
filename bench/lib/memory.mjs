// What the process keeps in memory, by the kernel's count.
import { readFileSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** @param {'VmRSS' | 'VmHWM'} field of proc_pid_status(5) @returns {number} MB (10^6 bytes) */
function statusMb(field) {
  const line = readFileSync('/proc/self/status', 'utf8').match(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm'))
  if (!line?.[1]) throw new Error(`/proc/self/status has no ${field}`)
  return (Number(line[1]) * 1024) / 1e6
}

/** @type {() => void} */
let collect

/** Collects all garbage. */
export function collectGarbage() {
  setFlagsFromString('--expose-gc')
  collect ??= runInNewContext('gc')
  collect()
}

/** MB that are resident once garbage is collected. */
export function residentMb() {
  collectGarbage()
  return statusMb('VmRSS')
}

/**
 * How many MB the process grew at most above where it stood.
 * @param {() => Promise<unknown>} run
 */
export async function growthDuring(run) {
  collectGarbage()
  // 5: the peak begins anew at what is resident now (proc_pid_clear_refs(5)).
  writeFileSync('/proc/self/clear_refs', '5')
  const idle = statusMb('VmRSS')
  await run()
  return statusMb('VmHWM') - idle
}

/**
 * Holds that many bytes of touched memory: most of it buffers, a fifth of it objects.
 * @param {number} bytes
 */
export function hold(bytes) {
  const chunk = 16 * 1024 * 1024
  const buffers = Array.from({ length: Math.ceil((bytes * 0.8) / chunk) }, () => Buffer.alloc(chunk, 0x5a))
  // An object of two numbers with its place in the array takes about 40 bytes.
  const objects = Array.from({ length: Math.ceil((bytes * 0.2) / 40) }, (_, at) => ({ at, half: at / 2 }))
  return { buffers, objects }
}
