import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Variables } from './environment.ts'

/** Tools neither write down what they did nor ask whether there is a newer one of them. */
const quiet: Variables = {
  // config(7) of npm: each command leaves a log and, above the maximum, removes what stands in the directory.
  npm_config_logs_max: '0',
  npm_config_logs_dir: '/dev/null',
  npm_config_update_notifier: 'false',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
  LESSHISTFILE: '-',
  NODE_DISABLE_COMPILE_CACHE: '1',
  // pytest reads its cache (--lf), and cannot write it.
  PYTEST_ADDOPTS: '-W ignore::pytest.PytestCacheWarning',
  // Without it go takes packages for missing when their index cannot be added to its cache (go/src/cmd/go/internal/modindex).
  GODEBUG: 'goindex=0',
}

/** Where the network is shut, another try is as vain as the first: npm alone would wait 70 seconds for it. */
const onlyOnce: Variables = {
  npm_config_fetch_retries: '0',
  PIP_RETRIES: '0',
  CARGO_NET_RETRY: '0',
}

/** What a tool may need that nothing but a private directory can be written to. */
export interface ToolCaches {
  /** The network is open: what is not in a cache can be fetched. */
  readonly network: boolean
  /** The cache of go is there. It stays in use then: a full one that cannot be written to is faster than an empty one. */
  readonly goCache: boolean
  /** So are the settings of fossil, which makes them where there are none, and else does nothing. */
  readonly fossilSettings: boolean
}

/** An environment of read mode with what makes tools behave; whatever is set already stays. */
export function withToolSettings(environment: Variables, network: boolean): Variables {
  return withDefaults(environment, network ? quiet : { ...quiet, ...onlyOnce })
}

/** An environment in which tools that cannot do without write their caches to a directory of the command's own. */
export function withToolCaches(environment: Variables, directory: string, caches: ToolCaches): Variables {
  return withDefaults(environment, {
    CARGO_TARGET_DIR: join(directory, 'cargo-target'),
    ...(caches.network ? { npm_config_cache: join(directory, 'npm') } : {}),
    ...(caches.goCache ? {} : { GOCACHE: join(directory, 'go-build') }),
    ...(caches.fossilSettings ? {} : { FOSSIL_HOME: directory }),
  })
}

/** Whether go has a cache of what it has built, where it looks for one by itself ("go help cache"; Linux). */
export function hasGoCache({ GOCACHE, XDG_CACHE_HOME, HOME = '/' }: Variables): boolean {
  return existsSync(GOCACHE || join(XDG_CACHE_HOME || join(HOME, '.cache'), 'go-build'))
}

/** Whether fossil has its settings, where it looks for them by itself (as 2.21 does). */
export function hasFossilSettings({ XDG_CONFIG_HOME, HOME = '/' }: Variables): boolean {
  const places = [join(HOME, '.fossil'), join(XDG_CONFIG_HOME || join(HOME, '.config'), 'fossil.db')]
  return places.some((place) => existsSync(place))
}

/** Names of npm know no case. */
function withDefaults(environment: Variables, defaults: Variables): Variables {
  const set = new Set(Object.keys(environment).map((name) => name.toLowerCase()))
  const missing = Object.entries(defaults).filter(([name]) => !set.has(name.toLowerCase()))
  return { ...environment, ...Object.fromEntries(missing) }
}
