import type { Diagnosis } from '../doctor/diagnosis.ts'
import { diagnose } from '../doctor/doctor.ts'
import { currentDirectory, type DockerStatus, dockerStatus, loadConfig } from '../internal.ts'
import { doctorReport, tryingLine } from '../messages/cli/doctor.ts'
import { isVitrineError } from '../messages/error.ts'
import { flagsFor } from './configuration.ts'
import { grammar } from './grammar.ts'
import { backendOf } from './run/options.ts'
import { print, standardError } from './run/sink.ts'
import { parseAll } from './subcommand.ts'
import { isTerminal } from './terminal.ts'

/** `vitrine doctor`: what this host can enforce. */
export async function main(args: readonly string[]): Promise<number> {
  const { flags, values } = parseAll('doctor', args, grammar.doctor)
  const docker = await dockerChosen(values.get('backend'))
  const diagnosis = { ...(await diagnosed()), ...(docker && { docker }) }
  const text = flags.has('json') ? `${JSON.stringify(diagnosis, null, 2)}\n` : doctorReport(diagnosis)
  const isUsable = !docker || (docker.engine !== undefined && docker.image.present === true)
  return print(text, diagnosis.verdict === 'enforced' && isUsable ? 0 : 1)
}

/** Runs all checks; shows the progress on a terminal. */
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

/** Moves to the first column and erases the line: ECMA-48, EL. */
const eraseLine = '\r\u001b[K'

/** The state of the docker backend, if it is selected. */
async function dockerChosen(given: string | undefined): Promise<DockerStatus | undefined> {
  const flags = flagsFor({ workspace: undefined, backend: backendOf(given) })
  try {
    const loaded = await loadConfig({ cwd: currentDirectory(), env: process.env, flags })
    return loaded.config.shell.backend === 'docker' ? await dockerStatus(loaded, process.env) : undefined
  } catch (error) {
    // An invalid configuration does not keep the host from being diagnosed; every other command reports it.
    if (isVitrineError(error) && error.code === 'CONFIG_INVALID') return undefined
    throw error
  }
}
