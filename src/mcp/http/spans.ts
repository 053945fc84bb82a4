import { errorCode } from '../../base/errno.ts'
import type { LinesRun } from '../../internal.ts'
import type { Watch } from '../execute.ts'

/** Where an OTEL_* variable is set: makes a span of each call, by the tracer that the process was started with. */
export async function makeTracing(log: (line: string) => void): Promise<Watch | undefined> {
  if (!Object.keys(process.env).some((name) => name.startsWith('OTEL_'))) return undefined
  const api = await import('@opentelemetry/api').catch(() => undefined)
  if (!api) {
    log('OTEL_* is set, but there are no spans: install @opentelemetry/api beside vitrine.')
    return undefined
  }
  const { context, propagation, SpanKind, SpanStatusCode, trace } = api
  const tracer = trace.getTracer('vitrine')
  return ({ mode, context: { http } }, run) => {
    const headers = Object.fromEntries(http?.req?.headers ?? [])
    const caller = propagation.extract(context.active(), headers)
    const attributes = { 'mcp.method.name': 'tools/call', 'vitrine.mode': mode }
    const options = { kind: SpanKind.SERVER, attributes }
    return tracer.startActiveSpan('tools/call execute_command', options, caller, async (span) => {
      try {
        const ran = await run()
        span.setAttributes(attributesOf(ran))
        return ran
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        span.setAttribute('error.type', errorCode(error) ?? 'error')
        throw error
      } finally {
        span.end()
      }
    })
  }
}

/** No command line and no path: they may hold what must stay where it is. */
function attributesOf({ results }: LinesRun) {
  const denials = results.flatMap((result) => result.denials)
  return {
    'vitrine.commands': results.length,
    'vitrine.outcome': results.at(-1)?.outcome.kind ?? 'none',
    'vitrine.denials': denials.reduce((sum, { count }) => sum + count, 0),
    'process.exit.code': results.at(-1)?.exitCode ?? -1,
  }
}
