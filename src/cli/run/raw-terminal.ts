import { spawnSync } from 'node:child_process'
import { rawUnavailable } from '../../messages/cli/run.ts'
import { misuse } from '../options.ts'

/**
 * Our own terminal, made to pass everything on as it is. By stty(1): Node's raw mode goes on turning each line feed of the
 * command's into two characters, which moves what full-screen programs draw.
 */
export class RawTerminal {
  readonly #settings: string
  #isRaw = false

  /** Throws INVALID_REQUEST when the settings cannot be read: then they could not be given back either. */
  constructor() {
    const { status, stdout } = stty('-g')
    if (status !== 0) throw misuse(rawUnavailable)
    this.#settings = stdout.trim()
  }

  begin(): void {
    this.#isRaw = true
    // Whatever ends this process short of a kill, the settings are as before.
    process.on('exit', this.end)
    stty('raw', '-echo', '-iexten')
  }

  readonly end = (): void => {
    if (this.#isRaw) stty(this.#settings)
    this.#isRaw = false
    process.off('exit', this.end)
  }
}

/** It waits for who writes to the terminal, which may be us, and for ever: not longer than a second. */
function stty(...settings: readonly string[]) {
  return spawnSync('stty', settings, { stdio: [0, 'pipe', 'ignore'], encoding: 'utf8', timeout: 1000 })
}
