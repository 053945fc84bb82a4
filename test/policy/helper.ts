import type { Decision, Mode } from '../../src/base/types.ts'
import type { Facts, GlobMatches } from '../../src/facts/facts.ts'
import { decide } from '../../src/policy/decide/decide.ts'
import { factsNeeded, type PolicyRequest, planRequest } from '../../src/policy/decide/plan.ts'
import {
  buildRules,
  type PolicySettings,
  type Preset,
  type RuleSet,
} from '../../src/policy/decide/ruleset.ts'
import { couldMatch } from '../../src/policy/syntax/globs.ts'

export const cwd = '/work-of/project'
export const home = '/home/agent'

export const settings: PolicySettings = {
  preset: 'default',
  pipes: false,
  allow: [],
  ask: [],
  deny: [],
  safe: [],
  auto_confirm: false,
  rule: [],
}

/** The rules of a preset, with some settings changed. */
export function rulesOf(changed: Partial<PolicySettings> = {}): RuleSet {
  return buildRules({ ...settings, ...changed })
}

const presets = new Map<Preset, RuleSet>()

export function presetRules(preset: Preset): RuleSet {
  const known = presets.get(preset) ?? rulesOf({ preset })
  presets.set(preset, known)
  return known
}

function matchesOf(glob: string): GlobMatches {
  const directory = shortened(glob.replace(/[^/]*[*?[].*$/, ''))
  return {
    directory,
    matches: directory === '/' && couldMatch(glob.split('/').at(-1) ?? '', 'home') ? ['/home'] : [],
  }
}

/** Facts of a machine without symbolic links, where no directory is a repository, and globs match nothing but /home in /. */
export function plainFacts(request: PolicyRequest, changed: Partial<Facts> = {}): Facts {
  const { paths, globs, directories, repositories } = factsNeeded(request)
  return {
    realPaths: new Map(paths.map((path) => [path, shortened(path)])),
    globs: new Map(globs.map((glob) => [glob, matchesOf(glob)])),
    withoutDashes: new Set(directories),
    foreignPrograms: new Map(),
    repositories: new Map(repositories.map((directory) => [directory, { kind: 'none' }])),
    ownPaths: [`${home}/.config/vitrine`, `${cwd}/.vitrine.toml`],
    unanswered: [],
    ...changed,
  }
}

function shortened(path: string): string {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** The decision about a line, on a machine without surprises. */
export function decideLine(line: string, rules: RuleSet, mode: Mode, facts: Partial<Facts> = {}): Decision {
  const request = planRequest({ work: { kind: 'line', line }, mode, cwd, home })
  return decide(request, rules, plainFacts(request, facts))
}

export function decideArgv(
  argv: readonly string[],
  rules: RuleSet,
  mode: Mode,
  facts: Partial<Facts> = {},
): Decision {
  const request = planRequest({ work: { kind: 'argv', argv }, mode, cwd, home })
  return decide(request, rules, plainFacts(request, facts))
}

/** Preset analysis with pipes. */
export const piping = rulesOf({ preset: 'analysis', pipes: true })

/** Lines that preset analysis denies in write mode, but not in read mode: with pipes or without, bound to a workspace or not. */
export function deniedOnlyWriting(lines: readonly string[]): string[] {
  return lines.filter((line) =>
    [presetRules('analysis'), piping].some((rules) =>
      [{}, { workspace: cwd }].some((facts) => {
        const [read, write] = (['read', 'write'] as const).map(
          (mode) => decideLine(line, rules, mode, facts).verdict,
        )
        return write === 'deny' && read !== 'deny'
      }),
    ),
  )
}
