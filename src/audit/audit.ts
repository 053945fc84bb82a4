import { type AuditFault, isVitrineError } from '../messages/error.ts'
import type { AuditLine } from './line.ts'
import type { AuditLog } from './log.ts'

/** The log of one shell, and the policy for failed writes. */
export class Audit {
  readonly #log: AuditLog
  readonly #required: boolean
  /** If required: lines of commands that ran but could not be written. No command runs until they are. */
  readonly #owed: string[] = []

  constructor(log: AuditLog, required: boolean) {
    this.#log = log
    this.#required = required
  }

  /** Call before a command runs. Throws AUDIT_FAILED if a line is required but cannot be written now. */
  async ready(): Promise<void> {
    if (!this.#required) return
    await this.#settle()
    await this.#log.check()
  }

  /** Writes the line of a finished command; returns the reason if it failed. */
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
