// The report as a document.
import { table } from './table.mjs'

/**
 * @typedef {{ host: Record<string, string | number>, load: { before: number, after: number }, quick: boolean, rows: import('./rows.mjs').Row[] }} Report
 */

/** @param {Report} report */
export function markdown({ host, load, quick, rows }) {
  const facts = Object.entries(host).map(([name, value]) => `${name}: ${value}`)
  return `# What a command costs

Written by \`npm run bench -- --doc\`; \`npm run bench\` prints the same for your machine, with ranges and targets. Every number is the median of interleaved runs of all contenders in
one process. The ratio is that of the medians; the first line of a suite is its 1.00, and half of its runs were within the noise. MISSED marks what misses this project's own target. Peers are
measured where they are installed (bwrap and firejail in PATH, the others by \`npm ci --prefix bench --ignore-scripts\`), and only if they refuse a write.

${facts.join('; ')}; load before and after: ${load.before}, ${load.after}${quick ? '; a quick run: few rounds' : ''}.

\`\`\`text
${table(rows, ['min..max', 'runs', 'reach'])}
\`\`\`
`
}
