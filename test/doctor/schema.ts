import * as v from 'valibot'
import { words } from '../helpers/words.ts'

const text = v.string()
const texts = v.array(text)
const count = v.pipe(v.number(), v.integer())
const maybe = v.exactOptional

/** Fields of one kind. */
function all<S extends v.GenericSchema>(schema: S, names: string): Record<string, S> {
  return Object.fromEntries(words(names).map((name) => [name, schema]))
}

const probe = v.looseObject({
  ...all(
    count,
    'trialErrno landlockAbi landlockErrno landlockErrata seccompErrno listenerErrno coreDumpsErrno',
  ),
  ...all(count, 'getfdErrno socketsErrno yama'),
  ...all(v.boolean(), 'seccomp listener listenerProves pidfd sessions'),
})

/** What `vitrine doctor --json` prints, version 1: docs/doctor.md. Strict: a field that is not here is not documented. */
export const diagnosisSchema = v.strictObject({
  version: v.literal(1),
  ...all(text, 'kernel architecture'),
  user: v.picklist(['root', 'ordinary']),
  ...all(maybe(text), 'distribution container hidepid apparmor selinux'),
  families: texts,
  wsl: maybe(v.picklist([1, 2])),
  lsms: maybe(texts),
  filtered: v.boolean(),
  memfdNoexec: maybe(count),
  host: v.looseObject({
    platform: v.picklist(['linux', 'macos', 'windows', 'other']),
    ...{ missing: maybe(text), watcherPid: maybe(count), probe: maybe(probe) },
  }),
  traps: v.array(
    v.strictObject({ ...all(text, 'id seen'), effect: v.picklist(['blocks', 'weakens']), fix: texts }),
  ),
  unavailable: maybe(
    v.strictObject({
      code: v.literal('SANDBOX_UNAVAILABLE'),
      ...all(text, 'wanted got remedy'),
      platform: maybe(text),
    }),
  ),
  rights: v.array(
    v.strictObject({
      ...all(text, 'right by said'),
      attempt: maybe(text),
      settings: maybe(v.record(text, v.unknown())),
      state: v.picklist(['enforced', 'open', 'untried', 'lacking']),
    }),
  ),
  clients: v.array(v.strictObject({ ...all(text, 'client mode'), faults: texts })),
  verdict: v.picklist(['enforced', 'partly', 'not-enforced', 'unavailable', 'untried']),
})
