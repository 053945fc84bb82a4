// What of the looks is a leak.

// Node opens a few descriptors and starts a few threads of its own, and there are at most eight notifiers.
const slack = { descriptors: 6, threads: 10, rss: 64e6, heap: 24e6 }

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

/** What one look alone says. */
export function faultsOf(look, ground) {
  const faults = []
  if (look.left.length > 0) faults.push(`survivors: ${look.left.join(', ')}`)
  if (look.children.length > 0) faults.push(`children: ${look.children.join('; ')}`)
  if (look.watchers !== 1) faults.push(`${look.watchers} watchers`)
  if (look.temporary.length > 0) faults.push(`left in TMPDIR: ${look.temporary.join(', ')}`)
  if (look.outputs.length > 0) faults.push(`left in the scratchpad: ${look.outputs.join(', ')}`)
  if (look.ground !== ground) faults.push('the directory that read mode looked at has changed')
  return faults
}

/** What grew: the last quarter of the looks against the second, when caches are full. */
export function growthOf(looks) {
  if (looks.length < 8) return []
  const quarter = looks.length >> 2
  const before = looks.slice(quarter, 2 * quarter)
  const after = looks.slice(-quarter)
  return Object.entries(slack).flatMap(([what, most]) => {
    const [from, to] = [before, after].map((part) => median(part.map((look) => look[what])))
    return to - from > most ? [`${what} grew from ${from} to ${to}`] : []
  })
}
