// What a person sees at the end.

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`

function resources(looks) {
  const rows = [
    ['memory (rss)', 'rss', megabytes],
    ['heap', 'heap', megabytes],
    ['descriptors', 'descriptors', String],
    ['threads', 'threads', String],
  ]
  return rows.map(([name, key, show]) => {
    const numbers = looks.map((look) => look[key])
    const range = `${show(Math.min(...numbers))} to ${show(Math.max(...numbers))}, last ${show(numbers.at(-1))}`
    return `  ${name.padEnd(14)} ${range}`
  })
}

function actions(tallies) {
  const rows = [...tallies].sort(([a], [b]) => a.localeCompare(b))
  return rows.map(([name, { count, failed, longestMs, overrunMs }]) => {
    const overrun = overrunMs === undefined ? '' : `, past the deadline at most ${Math.round(overrunMs)} ms`
    const failures = failed > 0 ? `, FAILED ${failed}` : ''
    return `  ${name.padEnd(44)} ${String(count).padStart(6)}, at most ${Math.round(longestMs)} ms${overrun}${failures}`
  })
}

/** The report as lines. */
export function table({ looks, tallies, steps, seconds, seed }) {
  return [
    `soak: ${steps} steps in ${Math.round(seconds)} s, seed ${seed}`,
    ...actions(tallies),
    ...(looks.length > 0 ? [`${looks.length} looks between rounds:`, ...resources(looks)] : []),
  ]
}
