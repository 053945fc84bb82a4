// What a person sees at the end.

const bars = '▁▂▃▄▅▆▇█'

// The looks in at most 60 columns, from the least to the most.
function plot(numbers) {
  const [least, most] = [Math.min(...numbers), Math.max(...numbers)]
  const step = Math.max(1, numbers.length / 60)
  const columns = Array.from(
    { length: Math.ceil(numbers.length / step) },
    (_, at) => numbers[Math.floor(at * step)],
  )
  const height = (number) => (most === least ? 0 : Math.round(((number - least) / (most - least)) * 7))
  return columns.map((number) => bars[height(number)]).join('')
}

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
    return `  ${name.padEnd(14)} ${plot(numbers)} ${range}`
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
export function table({ looks, tallies, left, steps, seconds, seed }) {
  return [
    `soak: ${steps} steps in ${Math.round(seconds)} s, seed ${seed}`,
    ...actions(tallies),
    ...left.map((name) => `  ${name.padEnd(44)} left out: this version cannot do it`),
    ...(looks.length > 0 ? [`${looks.length} looks between rounds:`, ...resources(looks)] : []),
  ]
}
