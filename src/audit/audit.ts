import { type AuditFault, isVitrineError } from '../messages/error.ts'
import type { AuditLine } from './line.ts'
import type { AuditLog } from './log.ts'

/** The log of one shell, and what becomes of commands when it fails. */
export class Audit {
  readonly #log: AuditLog
  readonly #required: boolean
  /** Lines of commands that ran and could not be written: no further command runs before they are. Required only. */
  readonly #owed: string[] = []

  constructor(log: AuditLog, required: boolean) {
    this.#log = log
    this.#required = required
  }

  /** Before a command runs. Throws AUDIT_FAILED when its line has to be written, and could not be now. */
  async ready(): Promise<void> {
    if (!this.#required) return
    await this.#settle()
    await this.#log.check()
  }

  /** Writes the line of a command that is over; returns why it could not. */
  async record(line: AuditLine): Promise<AuditFault | undefined> {
    const text = `${JSON.stringify(line)}\n`
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
