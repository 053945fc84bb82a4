import type { AuditFault } from '../base/refusal.ts'
import { isVitrineError } from '../messages/error.ts'
import type { AuditLine } from './line.ts'
import type { AuditLog } from './log.ts'

/** The log of one shell, and the handling of failed writes. */
export class Audit {
  readonly #log: AuditLog
  readonly #required: boolean
  /** If required: lines that could not be written. No command runs until they are. */
  readonly #owed: string[] = []

  constructor(log: AuditLog, required: boolean) {
    this.#log = log
    this.#required = required
  }

  /** Before a command. Throws AUDIT_FAILED if a line is required and cannot be written now. */
  async ready(): Promise<void> {
    if (!this.#required) return
    await this.#settle()
    await this.#log.check()
  }

  /** Returns the reason if the lines of a finished command could not be written. They are written together. */
  async record(lines: readonly AuditLine[]): Promise<AuditFault | undefined> {
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    try {
      await this.#settle()
      await this.#log.append(text)
      return undefined
    } catch (error) {
      if (!isVitrineError(error) || error.refusal.code !== 'AUDIT_FAILED') throw error
      if (this.#required) this.#owed.push(text)
      return error.refusal
    }
  }

  async #settle(): Promise<void> {
    for (let text = this.#owed.shift(); text !== undefined; text = this.#owed.shift()) {
      try {
        await this.#log.append(text)
      } catch (error) {
        this.#owed.unshift(text)
        throw error
      }
    }
  }
}
