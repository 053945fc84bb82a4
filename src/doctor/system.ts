import { readFileSync } from 'node:fs'
import { machine, release } from 'node:os'
import { unlessSystemError } from '../base/errno.ts'

/** The properties of a system that determine what can be enforced. Unknown ones are absent. */
export interface System {
  readonly kernel: string
  readonly architecture: string
  readonly user: 'root' | 'ordinary'
  /** PRETTY_NAME of os-release(5). */
  readonly distribution?: string
  /** ID and ID_LIKE of os-release(5): `ubuntu`, `debian`. */
  readonly families: readonly string[]
  /** The version of the Windows Subsystem for Linux. */
  readonly wsl?: 1 | 2
  /** The container runtime around this process: `docker`, `podman`, `kubernetes`, `lxc`, ... */
  readonly container?: string
  readonly lsms?: readonly string[]
  /** This process runs under a seccomp filter that vitrine did not install. */
  readonly filtered: boolean
  /** The hidepid= option of /proc: proc(5). */
  readonly hidepid?: string
  readonly memfdNoexec?: number
  readonly apparmor?: string
  readonly selinux?: string
}

type ReadText = (path: string) => string | undefined

function readText(path: string): string | undefined {
  return unlessSystemError(() => readFileSync(path, 'utf8'))
}

/** Inspects this system; `read` replaces its files in tests. */
export function readSystem(read: ReadText = readText, kernel = release(), env = process.env): System {
  const named = osRelease(read('/etc/os-release') ?? read('/usr/lib/os-release') ?? '')
  return present({
    kernel,
    architecture: machine(),
    user: process.getuid?.() === 0 ? 'root' : 'ordinary',
    distribution: named['PRETTY_NAME'],
    families: familiesOf(named),
    wsl: wslOf(kernel),
    container: containerOf(read, env),
    lsms: read('/sys/kernel/security/lsm')?.trim().split(','),
    filtered: /^Seccomp:\s*2$/m.test(read('/proc/self/status') ?? ''),
    hidepid: hidepidOf(read('/proc/self/mountinfo') ?? ''),
    memfdNoexec: numberIn(read('/proc/sys/vm/memfd_noexec')),
    apparmor: confinedBy(read('/proc/self/attr/apparmor/current')),
    selinux:
      read('/sys/fs/selinux/enforce') === '1' ? confinedBy(read('/proc/self/attr/current')) : undefined,
  })
}

function present(all: { readonly [K in keyof System]: System[K] | undefined }): System {
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) => value !== undefined),
  ) as unknown as System
}

/** os-release(5): shell assignments, quoted or not. */
function osRelease(text: string): Readonly<Record<string, string>> {
  const found = [...text.matchAll(/^([A-Z_]+)=(["']?)(.*)\2$/gm)]
  return Object.fromEntries(found.map(([, name = '', , value = '']) => [name, value]))
}

function familiesOf(named: Readonly<Record<string, string>>): string[] {
  return [named['ID'] ?? '', ...(named['ID_LIKE'] ?? '').split(' ')].filter((id) => id !== '')
}

// WSL 1: 4.4.0-19041-Microsoft, WSL 2: 5.15.167.4-microsoft-standard-WSL2; a custom kernel may show neither.
function wslOf(kernel: string): 1 | 2 | undefined {
  if (/-Microsoft$/.test(kernel)) return 1
  return /microsoft|WSL2/.test(kernel) ? 2 : undefined
}

function containerOf(read: ReadText, env: NodeJS.ProcessEnv): string | undefined {
  if (env['KUBERNETES_SERVICE_HOST'] !== undefined) return 'kubernetes'
  if (read('/run/.containerenv') !== undefined) return 'podman'
  if (read('/.dockerenv') !== undefined) return 'docker'
  // Written by systemd; systemd-detect-virt(1) reads it, too.
  return read('/run/systemd/container')?.trim() || env['container']
}

/** proc_pid_mountinfo(5): the fifth field is the mount point, the last the file system's options. */
function hidepidOf(mounts: string): string | undefined {
  const fields = mounts.split('\n').map((line) => line.split(' '))
  const options = fields.findLast((mount) => mount[4] === '/proc')?.at(-1) ?? ''
  const value = /\bhidepid=(\w+)/.exec(options)?.[1]
  return value === '0' || value === 'off' ? undefined : value
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text.trim() === '' ? undefined : Number(text)
}

/** Such as `docker-default (enforce)`; `unconfined` and SELinux's unconfined_t count as none. */
function confinedBy(text: string | undefined): string | undefined {
  const context = text?.replace(/\0/g, '').trim()
  return context === undefined || context === '' || /unconfined/.test(context) ? undefined : context
}
