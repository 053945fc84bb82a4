// The report as a document.
import { cellsOf, headings } from './table.mjs'

/**
 * @typedef {{ host: Record<string, string | number>, load: { before: number, after: number }, quick: boolean, rows: import('./rows.mjs').Row[] }} Report
 */

/** @param {Report} report */
export function markdown({ host, load, quick, rows }) {
  return `# What a command costs

Written by \`npm run bench -- --doc\`; \`npm run bench\` prints the same for your machine. Every number is the median of
interleaved runs of all contenders in one process. The ratio is that of the medians; the first line of a suite is its
1.00. \`reach\` is this project's own target. Peers are measured where they are installed (bwrap and
firejail in PATH, the others by \`npm ci --prefix bench --ignore-scripts\`), and only if they refuse a write.

${Object.entries(host)
  .map(([name, value]) => `- ${name}: ${value}`)
  .join('\n')}
- load before and after: ${load.before}, ${load.after}${quick ? '\n- a quick run: few rounds' : ''}

${[...new Set(rows.map(({ suite }) => suite))].map((suite) => section(suite, rows)).join('\n')}
`
    .trimEnd()
    .concat('\n')
}

/** @param {string} suite @param {import('./rows.mjs').Row[]} all */
function section(suite, all) {
  const rows = all.filter((row) => row.suite === suite)
  const noisy = rows.find(({ noise }) => noise !== undefined)?.noise
  const percent = ((noisy ?? 0) * 100).toFixed(0)
  const noise = noisy === undefined ? '' : `The middle half of the runs of 1.00 was within ±${percent} %.\n\n`
  return `## ${suite[0]?.toUpperCase()}${suite.slice(1)}

${noise}${alignedTable([headings, ...rows.map(cellsOf)])}
`
}

/** A table with columns as wide as their widest cell. @param {string[][]} rows the first is the heading */
function alignedTable(rows) {
  const cells = rows.map((row) => row.map((cell) => cell.trim()))
  const widths = headings.map((_, column) => Math.max(3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (/** @type {string[]} */ row) =>
    `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`
  const [heading = [], ...others] = cells
  return [heading, widths.map((width) => '-'.repeat(width)), ...others].map(line).join('\n')
}
