import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { broken, firstMissing, type Verdict } from '../evaluate.ts'
import { marker, type Place, type ReadAttack, type Scene } from './row.ts'
import { readAttacks } from './table.ts'

/** What the runner reads from its standard input. */
export interface ReadErrand {
  /** Absolute path of the built library. */
  readonly library: string
  readonly program: string
}

type Library = typeof import('../../../src/index.ts')
type Run = (scene: Scene, place: Place, say: () => void) => Promise<string>

const timeoutMs = 20_000

function throughShell({ openShell }: Library, mode: 'read' | 'write', keeps: boolean): Run {
  return async ({ unreadable = [], argv, cwd, privateTmp = false }, { directory }, say) => {
    const config = join(directory, 'config.toml')
    const kept = keeps ? [join(directory, 'kept'), ...unreadable] : []
    writeFileSync(config, `[shell]\nunreadable = ${JSON.stringify(kept)}\n`)
    const shell = await openShell({ cwd: '/', config, mode, privateTmp })
    const request = { argv, cwd: cwd ?? directory, timeoutMs }
    const { output } = await shell.execute(request, { onOutput: say }).finally(() => shell.close())
    return output
  }
}

/** Makes a fresh place, tries once, and returns what came out. */
async function tryOnce({ arrange }: ReadAttack, program: string, run: Run): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-reading-'))
  try {
    const file = join(directory, 'kept/file')
    mkdirSync(join(directory, 'kept'))
    writeFileSync(file, `echo ${marker}\n`)
    const place = { directory, file, program }
    const scene = await arrange(place)
    let first = scene.meanwhile
    const say = () => {
      first?.()
      first = undefined
    }
    return await run(scene, place, say).finally(() => scene.end?.())
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function evaluate(attack: ReadAttack, library: Library, program: string): Promise<Verdict> {
  const missing = firstMissing(attack.needs)
  if (missing) return { verdict: 'skipped', detail: missing }
  const held = await tryOnce(attack, program, throughShell(library, 'read', true))
  if (held.includes(marker)) return { verdict: 'broken', detail: `it came out: ${held.slice(0, 300)}` }
  const control = {
    'without the setting': throughShell(library, 'read', false),
    'write mode': throughShell(library, 'write', true),
  }[attack.control]
  const shown = await tryOnce(attack, program, control)
  if (shown.includes(marker)) return { verdict: 'held', detail: held.slice(0, 300) }
  return { verdict: 'vacuous', detail: `${attack.control}: ${shown.slice(0, 300)}` }
}

async function run({ library, program }: ReadErrand): Promise<void> {
  const loaded = (await import(pathToFileURL(library).href)) as Library
  for (const attack of readAttacks) {
    const report = await evaluate(attack, loaded, program).catch(broken)
    process.stdout.write(`${JSON.stringify({ name: attack.name, ...report })}\n`)
  }
}

await run(JSON.parse(readFileSync(0, 'utf8')) as ReadErrand)
