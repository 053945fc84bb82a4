// Where the soak takes place: directories of its own, the programs that misbehave, and the shells.
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

const fixtures = join(root, 'test/fixtures/processes')
const names = [
  'daemon',
  'bomb',
  'comet',
  'headless',
  'deserter',
  'attempts',
  '../attack/processes/supervisor',
]

function compile(name, directory) {
  const program = join(directory, basename(name))
  execFileSync('cc', ['-std=gnu11', '-O1', '-pthread', join(fixtures, `${name}.c`), '-o', program])
  return program
}

/** What read mode may look at and must not change. */
function makeGround(directory) {
  mkdirSync(join(directory, 'sub'), { recursive: true })
  writeFileSync(join(directory, 'file'), 'kept')
  return directory
}

/** Makes the directories, and points TMPDIR and the XDG variables of this process and its children into them. */
export function makePlace() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'vitrine-soak-')))
  const directory = (name) => {
    mkdirSync(join(home, name))
    return join(home, name)
  }
  const programs = directory('programs')
  const place = {
    home,
    ground: makeGround(directory('ground')),
    temporary: directory('tmp'),
    state: directory('state'),
    programs: Object.fromEntries(names.map((name) => [basename(name), compile(name, programs)])),
    remove: () => rmSync(home, { recursive: true, force: true }),
  }
  process.env.TMPDIR = place.temporary
  process.env.XDG_STATE_HOME = place.state
  process.env.XDG_CONFIG_HOME = directory('config')
  return place
}

/** A comet of one's own: a lock on its file tells whether it still flies. */
export function ownComet({ home, programs }, step) {
  const program = join(home, `comet-${step}`)
  copyFileSync(programs.comet, program)
  return program
}

/** A configuration file with that content. */
export function configFile({ home }, name, toml) {
  const file = join(home, `${name}.toml`)
  writeFileSync(file, toml)
  return file
}

const quick = '[shell]\nkill_grace_ms = 50\n'

/** Opens the shells that live as long as the soak. */
export async function openShells(place) {
  const { openShell } = await import(join(root, 'dist/index.js'))
  const open = (mode, name, toml) =>
    openShell({ cwd: place.ground, mode, config: configFile(place, name, toml) })
  return {
    openShell,
    read: await open('read', 'read', quick),
    write: await open('write', 'write', quick),
    small: await open('read', 'small', `${quick}[output]\nmax_bytes = 200000\n`),
    privateTmp: await open('read', 'privateTmp', `${quick}private_tmp = true\n`),
    limited: await open('read', 'limited', `${quick}[limits]\nmemory_bytes = 268435456\nprocesses = 64\n`),
  }
}
