import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Variables } from './environment.ts'

/** Tools write no logs or histories, and do not check for newer versions of themselves. */
const quiet: Variables = {
  // npm's config(7): each command leaves a log and removes files of the directory above the maximum.
  npm_config_logs_max: '0',
  npm_config_logs_dir: '/dev/null',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  LESSHISTFILE: '-',
  NODE_DISABLE_COMPILE_CACHE: '1',
  // pytest can read its cache (--lf), but not write it.
  PYTEST_ADDOPTS: '-W ignore::pytest.PytestCacheWarning',
  // Else go reports packages whose index it cannot cache as missing (go/src/cmd/go/internal/modindex).
  GODEBUG: 'goindex=0',
}

/** Without the network a retry is as futile as the first try: npm alone would wait 70 seconds. */
const onlyOnce: Variables = {
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
}

export interface ToolCaches {
  /** The workspace can be written: builds go beside their sources, where the next command finds them. */
  readonly workspace: boolean
  /** The network is open: what is missing from a cache can be fetched. */
  readonly network: boolean
  /** Go's cache exists, and stays in use: a full read-only one is faster than an empty writable one. */
  readonly goCache: boolean
  /** Fossil's settings exist. Without them fossil creates them, or fails where it cannot. */
  readonly fossilSettings: boolean
}

/** The environment of a confined command with these settings; variables that are already set stay. */
export function withToolSettings(environment: Variables, network: boolean): Variables {
  return withDefaults(environment, network ? quiet : { ...quiet, ...onlyOnce })
}

/** Gives tools that cannot work without a writable cache a directory of the command's own. */
export function withToolCaches(environment: Variables, directory: string, caches: ToolCaches): Variables {
  return withDefaults(environment, {
    ...(caches.workspace ? {} : { CARGO_TARGET_DIR: join(directory, 'cargo-target') }),
    ...(caches.network ? { npm_config_cache: join(directory, 'npm') } : {}),
    ...(caches.goCache ? {} : { GOCACHE: join(directory, 'go-build') }),
    ...(caches.fossilSettings ? {} : { FOSSIL_HOME: directory }),
    NX_SOCKET_DIR: join(directory, 'nx'), // else in /tmp/.nx
    TMUX_TMPDIR: directory, // else in /tmp
  })
}

/** Whether go's build cache exists at its default place ("go help cache"; Linux). */
export function hasGoCache({ GOCACHE, XDG_CACHE_HOME, HOME = '/' }: Variables): boolean {
  return existsSync(GOCACHE || join(XDG_CACHE_HOME || join(HOME, '.cache'), 'go-build'))
}

/** Whether fossil's settings exist at their default place (as of fossil 2.21). */
export function hasFossilSettings({ XDG_CONFIG_HOME, HOME = '/' }: Variables): boolean {
  const places = [join(HOME, '.fossil'), join(XDG_CONFIG_HOME || join(HOME, '.config'), 'fossil.db')]
  return places.some((place) => existsSync(place))
}

/** Ignores case, as npm does for its variables. */
function withDefaults(environment: Variables, defaults: Variables): Variables {
  const result: Record<string, string> = { ...environment }
  const names = Object.keys(environment)
  for (const [name, value] of Object.entries(defaults)) {
    const isSet = names.some((set) => set.length === name.length && set.toLowerCase() === name.toLowerCase())
    if (!isSet) result[name] = value
  }
  return result
}
