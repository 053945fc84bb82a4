// The report as a document.
import { cellsOf } from './table.mjs'

/**
 * @typedef {{ host: Record<string, string | number>, load: { before: number, after: number }, quick: boolean, rows: import('./rows.mjs').Row[] }} Report
 */

/** @param {Report} report */
export function markdown({ host, load, quick, rows }) {
  return `# What a command costs

Written by \`npm run bench -- --doc\`; \`npm run bench\` prints the same for your machine. Every number is the median of
interleaved runs of all contenders in one process, the ratio is that of the medians, and the first line of a suite is
its 1.00. \`reach\` is what this project holds itself to. Peers are measured where they are installed (bwrap and
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
  const cells = rows.map(
    (row) =>
      `| ${cellsOf(row)
        .map((cell) => cell.trim())
        .join(' | ')} |`,
  )
  const noise =
    noisy === undefined
      ? ''
      : `The middle half of the runs of 1.00 lay within ±${(noisy * 100).toFixed(0)} %.\n\n`
  return `## ${suite[0]?.toUpperCase()}${suite.slice(1)}

${noise}| what | ratio | median | min..max | runs | reach | |
|---|---|---|---|---|---|---|
${cells.join('\n')}
`
}
