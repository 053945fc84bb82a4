// What the numbers were measured on. No names, no paths.
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os'

/** Load averages over one minute, before and after, show who else was working. */
export function load() {
  return Number((loadavg()[0] ?? 0).toFixed(2))
}

/** @returns {Record<string, string | number>} */
export function describeHost() {
  return {
    date: new Date().toISOString().slice(0, 10),
    kernel: `${process.platform} ${release()} ${process.arch}`,
    node: process.version,
    cpu: `${cpus()[0]?.model.trim() ?? 'unknown'}, ${availableParallelism()} usable`,
    memoryGb: Math.round(totalmem() / 1e9),
    hugePages: hugePages(),
    user: process.getuid?.() === 0 ? 'root' : 'ordinary',
  }
}

/** They make a fork of a large process cheaper. */
function hugePages() {
  try {
    const modes = readFileSync('/sys/kernel/mm/transparent_hugepage/enabled', 'utf8')
    return modes.match(/\[(\w+)\]/)?.[1] ?? 'unknown'
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
  }
}
