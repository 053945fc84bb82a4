// The table and the plots, for a terminal.

/** @typedef {import('./rows.mjs').Row} Row */

const headings = ['what', 'ratio', 'median', 'min..max', 'runs', 'reach', '']

/** One table of all rows, a heading line per suite. @param {Row[]} rows @param {string[]} leftOut columns */
export function table(rows, leftOut = []) {
  const shown = (/** @type {string[]} */ row) =>
    row.filter((_, column) => !leftOut.includes(headings[column] ?? ''))
  const titles = shown(headings)
  const cells = rows.map((row) => shown(cellsOf(row)))
  const last = titles.length - 1
  const widths = titles.map((title, column) =>
    Math.max(title.length, ...cells.map((row) => (column < last ? (row[column] ?? '').length : 0))),
  )
  const line = (/** @type {string[]} */ row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd()
  const lines = [line(titles), line(widths.map((width) => '─'.repeat(width)))]
  rows.forEach((row, at) => {
    if (row.suite !== rows[at - 1]?.suite) lines.push(heading(row))
    lines.push(row.skipped === undefined ? line(cells[at] ?? []) : `  ${row.name}: skipped: ${row.skipped}`)
  })
  return lines.join('\n')
}

/** @param {Row} row */
function heading({ suite, noise }) {
  return noise === undefined ? suite : `${suite} (noise ±${(noise * 100).toFixed(0)} %)`
}

/** @param {Row} row */
function cellsOf(row) {
  const { value, unit = 'ms' } = row
  if (!value) return [`  ${row.name}`, '', '', '', '', '', row.skipped ?? '']
  return [
    `  ${row.name}`,
    row.ratio === undefined ? '' : row.ratio.toFixed(row.ratio < 0.2 ? 3 : 2),
    `${number(value.median)} ${unit}`.trimEnd(),
    `${number(value.min)}..${number(value.max)}`,
    String(value.runs),
    row.target ? `≤ ${row.target.most}${row.target.of === 'ratio' || unit === '' ? '' : ` ${unit}`}` : '',
    [row.target && !row.target.met && 'MISSED', row.note].filter(Boolean).join(', '),
  ]
}

/** Three significant digits, without an exponent. @param {number} value */
function number(value) {
  const magnitude = Math.abs(value)
  return value.toFixed(magnitude >= 100 ? 0 : magnitude >= 10 ? 1 : magnitude >= 1 ? 2 : 3)
}

const width = 48

/** A bar per ratio; what has a reach to stay below shows it as a mark. @param {Row[]} rows */
export function plots(rows) {
  return [...new Set(rows.map(({ suite }) => suite))]
    .map((suite) =>
      plot(
        suite,
        rows.filter((row) => row.suite === suite && row.ratio !== undefined),
      ),
    )
    .filter(Boolean)
    .join('\n\n')
}

/** @param {string} suite @param {Row[]} rows */
function plot(suite, rows) {
  if (rows.length === 0) return ''
  const largest = Math.max(1, ...rows.flatMap(({ ratio = 0, target }) => [ratio, targetRatio(target)]))
  const name = Math.max(...rows.map((row) => row.name.length))
  // From a hundredfold on equal steps are equal factors: a linear bar would show one of them only.
  const scale = largest > 20 ? logarithmic(rows, largest) : (/** @type {number} */ ratio) => ratio / largest
  return [
    `${suite}${largest > 20 ? ' (logarithmic)' : ''}`,
    ...rows.map((row) => `  ${row.name.padEnd(name)} ${bar(row, scale)} ${cellsOf(row)[1]}`),
  ].join('\n')
}

/** @param {Row[]} rows @param {number} largest */
function logarithmic(rows, largest) {
  const smallest = Math.min(...rows.map(({ ratio = 1 }) => ratio)) / 2
  return (/** @type {number} */ ratio) => Math.log(ratio / smallest) / Math.log(largest / smallest)
}

/** @param {Row['target']} target */
function targetRatio(target) {
  return target?.of === 'ratio' ? target.most : 0
}

/** Eighths of a character: U+2588 to U+258F. @param {Row} row @param {(ratio: number) => number} scale */
function bar({ ratio = 0, target }, scale) {
  const eighths = Math.round(scale(ratio) * width * 8)
  const rest = eighths % 8
  const cells = [
    ...'█'.repeat(Math.floor(eighths / 8)),
    ...(rest ? [String.fromCodePoint(0x2590 - rest)] : []),
  ]
  const most = targetRatio(target)
  while (cells.length < width) cells.push(' ')
  if (most > 0) cells[Math.min(width, Math.round(scale(most) * width)) - 1] = '┃'
  return cells.join('')
}
