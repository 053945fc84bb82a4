import { spawnSync } from 'node:child_process'
import { systemTool } from '../../base/paths.ts'
import { rawUnavailable } from '../../messages/cli/run.ts'
import { misuse } from '../options.ts'

/** Our terminal in raw mode by stty(1): Node's raw mode still turns the command's line feeds into CR LF. */
export class RawTerminal {
  readonly #settings: string
  #isRaw = false

  /** Throws INVALID_REQUEST if the settings cannot be read: they could not be restored. */
  constructor() {
    const { status, stdout } = stty('-g')
    if (status !== 0) throw misuse(rawUnavailable)
    this.#settings = stdout.trim()
  }

  begin(): void {
    this.#isRaw = true
    // Restores the settings however this process ends, unless it is killed.
    process.on('exit', this.end)
    stty('raw', '-echo', '-iexten')
  }

  readonly end = (): void => {
    if (this.#isRaw) stty(this.#settings)
    this.#isRaw = false
    process.off('exit', this.end)
  }
}

/** stty waits for pending terminal output, possibly forever: hence the limit of one second. */
function stty(...settings: readonly string[]) {
  return spawnSync(systemTool('stty') ?? '/bin/stty', settings, {
    stdio: [0, 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 1000,
  })
}
