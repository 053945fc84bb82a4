// Records docs/terminal.svg, the picture in README.md: runs the built command line in a terminal and draws what it shows.
// With --check it only says whether the picture is what a recording gives now.
import { execFileSync } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { openShell } from '../dist/index.js'
import { root } from './freshness.mjs'

const picture = join(root, 'docs/terminal.svg')
const columns = 88

/** A comment is only shown; every other line is run. */
const session = [
  '# Read mode: look at everything ...',
  "vitrine run -- 'git log --oneline && wc -l src/*'",
  '# ... change nothing, whatever the command does',
  "vitrine run -- 'rm -rf src'",
  '# Write mode: your own shell',
  "vitrine run --write -- 'echo start >> src/app.js && git diff --stat'",
]

/** Everything that a recording could depend on is fixed: the language, git's configuration, names and dates. */
function environment(place) {
  return {
    PATH: [join(place, 'bin'), process.env.PATH].join(delimiter),
    HOME: place,
    LC_ALL: 'C',
    TERM: 'xterm-256color',
    XDG_CONFIG_HOME: join(place, '.config'),
    XDG_STATE_HOME: join(place, '.state'),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'me',
    GIT_AUTHOR_EMAIL: 'me@example.invalid',
    GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
    GIT_COMMITTER_NAME: 'me',
    GIT_COMMITTER_EMAIL: 'me@example.invalid',
    GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  }
}

/** A repository with two commits, and `vitrine` on the PATH. */
function prepare(place, env) {
  const project = join(place, 'app')
  mkdirSync(join(place, 'bin'))
  mkdirSync(join(project, 'src'), { recursive: true })
  symlinkSync(join(root, 'dist/cli.cjs'), join(place, 'bin/vitrine'))
  const git = (...args) => execFileSync('git', args, { cwd: project, env })
  git('init', '--quiet', '--initial-branch=main')
  for (const subject of ['Serve the first page', 'Log each request']) {
    appendFileSync(join(project, 'src/app.js'), `// ${subject}\n`)
    git('add', '.')
    git('commit', '--quiet', '--message', subject)
  }
  return project
}

/** What each line of the session shows in a terminal. */
async function record() {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-record-')))
  const env = environment(place)
  try {
    const cwd = prepare(place, env)
    const config = join(place, 'config.toml')
    writeFileSync(config, '')
    const shell = await openShell({ cwd, mode: 'write', config, env: { ...process.env, ...env } })
    const lines = []
    for (const line of session) lines.push(...(await showLine(shell, line)))
    await shell.close()
    return lines.map(({ text, kind }) => ({ kind, text: text.replaceAll(place, '/home/me') }))
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

async function showLine(shell, line) {
  if (line.startsWith('#')) return [{ text: line, kind: 'comment' }]
  const pty = await shell.start({ command: line, pty: true, columns: 500, rows: 40 })
  const { output } = await pty.result
  if (/[^\n\r\u0020-\u007e]/.test(output)) throw new Error(`more than plain text: ${JSON.stringify(output)}`)
  const shown = output.split('\r\n').filter((text) => text !== '')
  const kindOf = (text) => (text.startsWith('vitrine: ') ? 'vitrine' : 'output')
  return [{ text: line, kind: 'command' }, ...shown.map((text) => ({ text, kind: kindOf(text) }))]
}

/** Breaks a line between words, where a terminal would break it anywhere. */
function wrap({ text, kind }) {
  if (kind === 'command') return [{ text: `$ ${text}`, kind }]
  const rows = text.match(new RegExp(`.{1,${columns}}(?: |$)`, 'g')) ?? [text]
  return rows.map((row) => ({ text: row.trimEnd(), kind }))
}

const colours = { comment: '#8b949e', command: '#f0f6fc', output: '#c9d1d9', vitrine: '#7ee787' }
const escapeText = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Plain `<text>` in the reader's own monospaced font; dark in itself, so it fits a light and a dark page. */
function draw(lines) {
  const width = Math.ceil(columns * 8.43) + 40
  let y = 44
  const text = lines.flatMap(wrap).map(({ text, kind }) => {
    y += kind === 'comment' ? 30 : 20
    return `<text x="20" y="${y}" fill="${colours[kind]}" xml:space="preserve">${escapeText(text)}</text>`
  })
  const height = y + 22
  const buttons = ['#ff5f57', '#febc2e', '#28c840'].map(
    (fill, index) => `<circle cx="${24 + index * 20}" cy="24" r="6" fill="${fill}"/>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">
<title>A terminal: read mode shows files and refuses to remove them; write mode changes one</title>
<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8" fill="#0d1117" stroke="#6e7681"/>
${buttons.join('\n')}
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace" font-size="14">
${text.join('\n')}
</g>
</svg>
`
}

const drawn = draw(await record())
if (!process.argv.includes('--check')) {
  writeFileSync(picture, drawn)
} else if (readFileSync(picture, 'utf8') !== drawn) {
  console.error(
    `docs/terminal.svg is not what a recording gives now: run npm run picture. It gives:\n${drawn}`,
  )
  process.exitCode = 1
}
