import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import type { Choices, Need } from './attack.ts'

/** Bits of capabilities(7). */
const BITS = {
  CAP_DAC_READ_SEARCH: 2,
  CAP_CHOWN: 0,
  CAP_NET_ADMIN: 12,
  CAP_NET_RAW: 13,
  CAP_SYS_RAWIO: 17,
  CAP_SYS_CHROOT: 18,
  CAP_SYS_ADMIN: 21,
  CAP_SYS_NICE: 23,
  CAP_MKNOD: 27,
  CAP_SETFCAP: 31,
  CAP_SYSLOG: 34,
} as const

/** Reads one field of /proc/self/status. */
export function ownStatus(field: string): string {
  const status = readFileSync('/proc/self/status', 'utf8')
  return new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? ''
}

function has(capability: keyof typeof BITS): boolean {
  return ((BigInt(`0x${ownStatus('CapEff')}`) >> BigInt(BITS[capability])) & 1n) === 1n
}

/** The user must hold that capability. */
export function capability(name: keyof typeof BITS): Need {
  return () => (has(name) ? null : `the user has no ${name}`)
}

/** What the control needs to succeed, and why this host may still refuse; or to change something. */
export function succeedsWith(
  name: keyof typeof BITS,
  hostMayRefuse: Readonly<Record<string, string>> = {},
): Choices {
  return { control: { kind: 'success', needs: [capability(name)], hostMayRefuse } }
}

export function changesWith(
  name: keyof typeof BITS,
  hostMayRefuse: Readonly<Record<string, string>> = {},
): Choices {
  return { control: { kind: 'change', needs: [capability(name)], hostMayRefuse } }
}

/** The file or device must be there. */
export function present(path: string): Need {
  return () => (existsSync(path) ? null : `${path} is not here`)
}

/** A parameter of /proc/sys must have one of these values, or not be there at all. */
export function parameter(path: string, ...values: readonly string[]): Need {
  return () => {
    const file = `/proc/sys/${path}`
    if (!existsSync(file)) return null
    const held = readFileSync(file, 'utf8').trim()
    return values.includes(held) ? null : `${file} is ${held}`
  }
}

/** Root would reach every process of the machine. */
export const ordinaryUser: Need = () => (process.getuid?.() === 0 ? 'only tried as an ordinary user' : null)

/** Only root can be tried this with. */
export const root: Need = () => (process.getuid?.() === 0 ? null : 'only root can arrange it')

/** Yama lets a process look at its descendants only; root is above it. */
export const noYama: Need = () => (has('CAP_SYS_ADMIN') ? null : parameter('kernel/yama/ptrace_scope', '0')())

/** The kernel writes core files into the working directory. */
export const plainCoreFiles: Need = () => {
  const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8').trim()
  return /^[|/]/.test(pattern) || pattern === '' ? `core files go elsewhere: ${pattern}` : null
}

/** The loopback interface has ::1: a container without a network has only 127.0.0.1. */
export const loopback6: Need = () =>
  networkInterfaces()['lo']?.some(({ address }) => address === '::1') ? null : 'loopback has no ::1'

/** This user can make a user namespace. */
export const userNamespaces: Need = () =>
  spawnSync('unshare', ['--user', 'true'], { stdio: 'ignore' }).status === 0
    ? null
    : 'this user cannot make a user namespace'

/** Refusals of bind(2) where vitrine cannot carry it out: table.ts passes on what the addon's probe found. */
export const bindMayRefuse: Readonly<Record<string, string>> =
  (process.env['VITRINE_TEST_GETFD_ERRNO'] ?? '0') === '0'
    ? {}
    : { EACCES: 'a filter around these tests blocks pidfd_getfd(2)' }
