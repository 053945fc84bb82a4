import * as v from 'valibot'

const words = v.array(v.string())
const count = v.pipe(v.number(), v.integer())

/** What `vitrine doctor --json` prints, version 1: docs/doctor.md. Strict: a field that is not here is not documented. */
export const diagnosisSchema = v.strictObject({
  version: v.literal(1),
  kernel: v.string(),
  architecture: v.string(),
  user: v.picklist(['root', 'ordinary']),
  distribution: v.exactOptional(v.string()),
  families: words,
  wsl: v.exactOptional(v.picklist([1, 2])),
  container: v.exactOptional(v.string()),
  lsms: v.exactOptional(words),
  filtered: v.boolean(),
  hidepid: v.exactOptional(v.string()),
  memfdNoexec: v.exactOptional(count),
  apparmor: v.exactOptional(v.string()),
  selinux: v.exactOptional(v.string()),
  host: v.looseObject({
    platform: v.picklist(['linux', 'macos', 'windows', 'other']),
    missing: v.exactOptional(v.string()),
    watcherPid: v.exactOptional(count),
    probe: v.exactOptional(
      v.looseObject({
        trialErrno: count,
        landlockAbi: count,
        landlockErrno: count,
        landlockErrata: count,
        seccomp: v.boolean(),
        seccompErrno: count,
        listener: v.boolean(),
        listenerErrno: count,
        listenerProves: v.boolean(),
        coreDumpsErrno: count,
        pidfd: v.boolean(),
        getfdErrno: count,
        socketsErrno: count,
        sessions: v.boolean(),
        yama: count,
      }),
    ),
  }),
  traps: v.array(
    v.strictObject({
      id: v.string(),
      effect: v.picklist(['blocks', 'weakens']),
      seen: v.string(),
      fix: words,
    }),
  ),
  unavailable: v.exactOptional(
    v.strictObject({
      code: v.literal('SANDBOX_UNAVAILABLE'),
      wanted: v.string(),
      got: v.string(),
      remedy: v.string(),
      platform: v.exactOptional(v.string()),
    }),
  ),
  rights: v.array(
    v.strictObject({
      right: v.string(),
      by: v.string(),
      attempt: v.exactOptional(v.string()),
      settings: v.exactOptional(v.record(v.string(), v.unknown())),
      state: v.picklist(['enforced', 'open', 'untried', 'lacking']),
      said: v.string(),
    }),
  ),
  verdict: v.picklist(['enforced', 'partly', 'not-enforced', 'unavailable', 'untried']),
})
