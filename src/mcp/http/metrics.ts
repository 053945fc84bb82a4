import type { Mode, Result } from '../../internal.ts'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from './prometheus.ts'

/** Read at each scrape. */
export interface Levels {
  readonly sessions: () => number
  readonly running: () => number
  readonly background: () => number
  readonly waiting: () => number
}

/** What /metrics answers, in the text format of Prometheus. */
export class Metrics {
  readonly #registry = new Registry()
  readonly #commands = this.#counter('commands_total', 'Commands, by how they ended.', ['mode', 'outcome'])
  readonly #denials = this.#counter('denials_total', 'What commands were denied.', ['operation'])
  readonly #refused = this.#counter('refused_requests_total', 'Requests that were refused.', ['status'])
  readonly #ended = this.#counter('sessions_total', 'Sessions, by why they ended.', ['ended'])
  readonly #seconds = new Histogram({
    name: 'vitrine_command_seconds',
    help: 'How long commands ran.',
    labelNames: ['mode'],
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600],
    registers: [this.#registry],
  })

  constructor({ sessions, running, background, waiting }: Levels) {
    collectDefaultMetrics({ register: this.#registry })
    this.#level('sessions', 'Open sessions.', sessions)
    this.#level('commands_running', 'Calls whose commands run.', running)
    this.#level('commands_background', 'Commands that run in the background.', background)
    this.#level('commands_waiting', 'Calls that wait for their turn.', waiting)
  }

  ran(mode: Mode, { outcome, durationMs, denials }: Result): void {
    this.#commands.inc({ mode, outcome: outcome.kind })
    this.#seconds.observe({ mode }, durationMs / 1000)
    for (const { operation, count } of denials) this.#denials.inc({ operation }, count)
  }

  /** `code`: of the error. */
  notRun(mode: Mode, code: string): void {
    this.#commands.inc({ mode, outcome: code })
  }

  refused(status: number): void {
    this.#refused.inc({ status })
  }

  sessionEnded(ended: string): void {
    this.#ended.inc({ ended })
  }

  async response(): Promise<Response> {
    const headers = { 'content-type': this.#registry.contentType }
    return new Response(await this.#registry.metrics(), { headers })
  }

  #counter<L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> {
    return new Counter({ name: `vitrine_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #level(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `vitrine_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}
