import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packageFile } from '../../base/package-file.ts'
import { realPath } from '../../base/paths.ts'
import { profileFaults } from '../../messages/sandbox/macos.ts'
import type { NetworkKind } from '../../network/access.ts'
import type { UnreadableNames } from '../sandbox.ts'
import type { Kept } from './kept.ts'

export interface ProfileOptions {
  readonly network: NetworkKind
  /** With `hosts`: the only port of this machine that can be connected to. */
  readonly proxyPort?: number
  /** The only readable places besides the system's. Default: all files are readable. */
  readonly readable?: readonly string[]
  /** Files and directories whose contents stay unreadable, even in readable places. */
  readonly unreadable?: readonly string[]
  /** Files that cannot be read because of their names. `skip` is ignored: here a search costs nothing. */
  readonly names?: UnreadableNames | null
  readonly privateTmp?: string
  /** Workspace mode: its roots, and what stays as it is in them. */
  readonly changes?: readonly Kept[]
}

interface Profile {
  readonly text: string
  readonly parameters: Readonly<Record<string, string>>
}

/** The prefix that makes a command run under the profile. */
export function wrapperOf(tool: string, { text, parameters }: Profile): [string, ...string[]] {
  const values = Object.entries(parameters).map(([name, value]) => `-D${name}=${value}`)
  return [tool, '-p', text, ...values, '--']
}

/** Builds the profile from sections of macos.sbpl. The last matching rule decides, so denials come last. */
export function seatbeltProfile(options: ProfileOptions): Profile {
  const writer = new ProfileWriter()
  writer.add('always')
  if (options.readable) {
    writer.add('reads-listed')
    for (const path of options.readable) writer.add('readable', path)
  }
  if (options.privateTmp !== undefined) writer.add('private-tmp', options.privateTmp)
  if (options.names) addNames(writer, options.names, options)
  if (options.changes) addChanges(writer, options.changes, options.names)
  for (const path of options.unreadable ?? []) writer.add('unreadable', path)
  writer.add(options.network === 'all' ? 'network-on' : 'network-off')
  if (options.proxyPort !== undefined) writer.add('network-proxy', undefined, String(options.proxyPort))
  return writer.profile()
}

/** In workspace mode also where a directory could be moved to. */
function addNames(
  writer: ProfileWriter,
  { beneath, patterns, except }: UnreadableNames,
  { changes, privateTmp }: ProfileOptions,
): void {
  const others = changes ? [...changes.map(({ root }) => root), ...(privateTmp ? [privateTmp] : [])] : []
  for (const place of new Set([beneath, ...others])) {
    for (const pattern of patterns) writer.add('unreadable-name', place, namePattern(pattern))
    for (const pattern of except) writer.add('readable-name', place, namePattern(pattern))
  }
}

/** All that is granted comes first: a root may lie in another one. */
function addChanges(
  writer: ProfileWriter,
  kept: readonly Kept[],
  names: UnreadableNames | null | undefined,
): void {
  const roots = new Set(kept.map(({ root }) => root))
  for (const root of roots) writer.add('workspace-open', root)
  for (const root of roots) {
    for (const name of names?.patterns ?? []) writer.add('workspace-unreadable-name', root, namePattern(name))
    for (const name of names?.except ?? []) writer.add('workspace-readable-name', root, namePattern(name))
  }
  for (const { root, closed } of kept)
    for (const pattern of closed) writer.add('workspace-kept', root, pattern)
  for (const path of kept.flatMap(({ open }) => open)) writer.add('workspace-open', path)
  writer.add('workspace-always')
  for (const { root, paths, parents } of kept) {
    writer.add('workspace-root-stays', root)
    for (const pattern of parents) writer.add('workspace-parent', root, pattern)
    for (const pattern of paths) writer.add('workspace-kept', root, pattern)
  }
}

/** As the end of a path regex. Throws on syntax that may not mean the same in both. */
function namePattern(pattern: string): string {
  if (!/^[\w.*?-]+$/.test(pattern)) throw new Error(profileFaults.name(pattern))
  return pattern.replaceAll('.', '\\.').replaceAll('*', '[^/]*').replaceAll('?', '[^/]')
}

class ProfileWriter {
  readonly #sections = readSections()
  readonly #parts: string[] = []
  /** Names by path. */
  readonly #parameters = new Map<string, string>()

  add(name: string, path?: string, pattern = ''): void {
    const section = this.#sections.get(name)
    if (section === undefined) throw new Error(profileFaults.section(name))
    const parameter = path === undefined ? '' : this.#parameterFor(placeOf(path))
    this.#parts.push(section.replaceAll('"PATH"', `"${parameter}"`).replaceAll('NAME', () => pattern))
  }

  profile(): Profile {
    const parameters = Object.fromEntries([...this.#parameters].map(([path, name]) => [name, path]))
    return { text: this.#parts.join(''), parameters }
  }

  #parameterFor(path: string): string {
    const name = this.#parameters.get(path) ?? `PATH_${this.#parameters.size}`
    this.#parameters.set(path, name)
    return name
  }
}

/** Rules match real paths (/tmp is /private/tmp) in the disk's own case; a missing one is resolved from its nearest parent. */
function placeOf(path: string): string {
  const parent = dirname(path)
  return realPath(path) ?? (parent === path ? path : join(placeOf(parent), basename(path)))
}

function readSections(): Map<string, string> {
  const [, ...sections] = readFileSync(packageFile('src/sandbox/macos.sbpl'), 'utf8').split(/^;@ /m)
  return new Map(
    sections.map((section) => {
      const [name = '', ...lines] = section.split('\n')
      const rules = lines.filter((line) => line.trim() !== '' && !line.startsWith(';'))
      return [name.trim(), `${rules.join('\n')}\n`]
    }),
  )
}
