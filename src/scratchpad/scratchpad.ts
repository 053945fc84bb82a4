import { randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { type RequestProblem, VitrineError } from '../errors.ts'

/** A file of the scratchpad, open for writing. */
export interface ScratchpadFile {
  readonly name: string
  readonly path: string
  readonly fd: number
}

const validName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Throws INVALID_REQUEST for a name that could be a path trick, or that no file system takes. */
export function checkScratchpadName(name: string): void {
  if (validName.test(name)) return
  const problem: RequestProblem = {
    kind: 'out-of-range',
    field: 'scratchpad',
    wanted: '1 to 64 letters, digits, dots, dashes or underscores, the first a letter or digit',
    got: JSON.stringify(name),
  }
  throw new VitrineError({ code: 'INVALID_REQUEST', problem })
}

/** The named outputs of one session, on disk, readable by the user only. The directory is made when it is first needed. */
export class Scratchpad {
  readonly directory: string
  #made = 0

  constructor(environment: Readonly<Record<string, string | undefined>>) {
    const started = new Date().toISOString().replace(/[:.]/g, '-')
    const session = `${started}-${process.pid}-${randomBytes(4).toString('hex')}`
    this.directory = join(stateDirectory(environment), 'vitrine', 'scratchpad', session)
  }

  /** Opens a new file under the name, or a name made up. A name that is taken gets a suffix. */
  open(asked: string | undefined): ScratchpadFile {
    mkdirSync(this.directory, { recursive: true, mode: 0o700 })
    const wanted = asked ?? `output-${++this.#made}`
    for (let copy = 1; ; copy++) {
      const name = copy === 1 ? wanted : `${wanted}-${copy}`
      const path = join(this.directory, name)
      try {
        return { name, path, fd: openSync(path, 'wx', 0o600) }
      } catch (error) {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      }
    }
  }

  /** Saves the bytes under the name. */
  save(asked: string | undefined, bytes: Uint8Array): ScratchpadFile {
    const file = this.open(asked)
    try {
      writeFileSync(file.fd, bytes)
    } finally {
      closeSync(file.fd)
    }
    return file
  }
}

/** XDG Base Directory Specification: state of the user that is not configuration. */
function stateDirectory(environment: Readonly<Record<string, string | undefined>>): string {
  const configured = environment['XDG_STATE_HOME']
  // A relative path is to be ignored, says the specification.
  if (configured?.startsWith('/')) return configured
  return join(environment['HOME'] || homedir(), '.local', 'state')
}
