import type { Diagnosis } from '../doctor/diagnosis.ts'
import { diagnose } from '../doctor/doctor.ts'
import { type DockerStatus, dockerStatus } from '../internal.ts'
import { doctorReport, tryingLine } from '../messages/cli/doctor.ts'
import { isVitrineError } from '../messages/error.ts'
import { loadConfigFor } from './configuration.ts'
import { grammar } from './grammar.ts'
import type { Options } from './options.ts'
import { print, standardError } from './run/sink.ts'
import { parseAll } from './subcommand.ts'
import { eraseLine, isTerminal } from './terminal.ts'

export async function main(args: readonly string[]): Promise<number> {
  const options = parseAll('doctor', args, grammar.doctor)
  const docker = await dockerChosen(options)
  const diagnosis = { ...(await diagnosed()), ...(docker && { docker }) }
  const text = options.flags.has('json') ? `${JSON.stringify(diagnosis, null, 2)}\n` : doctorReport(diagnosis)
  const isUsable = !docker || (docker.engine !== undefined && docker.image.present === true)
  return print(text, diagnosis.verdict === 'enforced' && isUsable ? 0 : 1)
}

async function diagnosed(): Promise<Diagnosis> {
  const program = [process.execPath, process.argv[1] ?? ''] as const
  if (!isTerminal(2)) return diagnose(program)
  try {
    return await diagnose(
      program,
      (name, at, of) => void standardError.write(eraseLine + tryingLine(name, at, of)),
    )
  } finally {
    await standardError.write(eraseLine)
  }
}

async function dockerChosen(options: Options): Promise<DockerStatus | undefined> {
  try {
    const loaded = await loadConfigFor(options)
    return loaded.config.shell.backend === 'docker' ? await dockerStatus(loaded, process.env) : undefined
  } catch (error) {
    // An invalid configuration does not keep the host from being diagnosed; every other command reports it.
    if (isVitrineError(error) && error.code === 'CONFIG_INVALID') return undefined
    throw error
  }
}
