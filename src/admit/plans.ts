import type { FactsNeeded } from '../facts/facts.ts'
import { factsNeeded, type PolicyRequest, planRequest, type RequestToDecide } from '../policy/decide/plan.ts'

export interface Plan {
  readonly request: PolicyRequest
  readonly needed: FactsNeeded
}

const maxPlans = 200
const maxLength = 2000

/** Plans of lines, which agents repeat. Planning is pure; for one home directory. */
export class Plans {
  readonly #kept = new Map<string, Plan>()

  of(request: RequestToDecide): Plan {
    const key = keyOf(request)
    const kept = key === undefined ? undefined : this.#kept.get(key)
    return kept ?? this.#make(request, key)
  }

  #make(given: RequestToDecide, key: string | undefined): Plan {
    const { variableValue } = given
    let usesValues = false
    const watched = (name: string) => {
      usesValues = true
      return variableValue?.(name)
    }
    const request = planRequest({ ...given, variableValue: variableValue && watched })
    const plan = { request, needed: factsNeeded(request) }
    if (key === undefined || usesValues) return plan
    if (this.#kept.size >= maxPlans) this.#kept.clear()
    this.#kept.set(key, plan)
    return plan
  }
}

/** Undefined for what is not kept. */
function keyOf({
  work,
  mode,
  cwd,
  shell,
  variables = {},
  variableValue,
}: RequestToDecide): string | undefined {
  if (work.kind !== 'line' || work.line.length > maxLength) return undefined
  if (Object.keys(variables).length > 0) return undefined
  return [mode, shell, variableValue ? 'values' : '', cwd, work.line].join('\0')
}
