/** The closest candidate, or undefined when none is close. Names and candidates are dotted keys. */
export function nearestKey(name: string, candidates: Iterable<string>): string | undefined {
  let best: { readonly candidate: string; readonly score: number } | undefined
  for (const candidate of candidates) {
    const score = strangeness(name, candidate)
    if (score !== undefined && (best === undefined || score < best.score)) best = { candidate, score }
  }
  return best?.candidate
}

/** Ends a sentence about a name that is not known. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = nearestKey(name, known)
  return nearest === undefined ? '.' : `; did you mean "${nearest}"?`
}

// A typo in the last part weighs more than a wrong section: [shell] max_bytes means output.max_bytes.
function strangeness(name: string, candidate: string): number | undefined {
  const [section, last] = parted(name)
  const [candidateSection, candidateLast] = parted(candidate)
  const longest = Math.max(last.length, candidateLast.length)
  // Of two letters one is half the name: "ls" does not mean "ps".
  const most = longest < 3 ? 0 : Math.max(1, Math.floor(longest / 3))
  // The difference in length is a lower bound: skips names of up to a megabyte.
  if (Math.abs(last.length - candidateLast.length) > most) return undefined
  const slips = editDistance(last, candidateLast)
  if (slips > most) return undefined
  return 2 * slips + (section === candidateSection ? 0 : 1)
}

// timeoutMs, timeout-ms and TIMEOUT_MS all mean timeout_ms.
function parted(name: string): readonly [section: string, last: string] {
  const plain = name.toLowerCase().replace(/[_-]/g, '')
  const dot = plain.lastIndexOf('.')
  return [plain.slice(0, Math.max(dot, 0)), plain.slice(dot + 1)]
}

/** Damerau-Levenshtein distance, in its variant "optimal string alignment". */
export function editDistance(a: string, b: string): number {
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const replaced = (above[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1)
      const isSwapped = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      const swapped = isSwapped ? (before[column - 2] ?? 0) + 1 : replaced
      current.push(Math.min(replaced, swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    before = above
    above = current
  }
  return above[b.length] ?? 0
}
