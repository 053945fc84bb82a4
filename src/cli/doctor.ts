import { diagnose } from '../doctor/doctor.ts'
import { tooManyWords } from '../result/explain-cli.ts'
import { doctorReport } from '../result/explain-doctor.ts'
import { grammar } from './grammar.ts'
import { misuse, parseOptions } from './options.ts'
import { standardOutput } from './sink.ts'

/** `vitrine doctor`: what this host can enforce. */
export async function main(args: readonly string[]): Promise<number> {
  const { flags, words } = parseOptions(args, grammar.doctor.options)
  const [word] = words
  if (word !== undefined) throw misuse(tooManyWords(word, 'doctor'))
  const diagnosis = await diagnose([process.execPath, process.argv[1] ?? ''])
  await standardOutput.write(
    flags.has('json')
      ? `${JSON.stringify(diagnosis, null, 2)}\n`
      : doctorReport(diagnosis, { fix: flags.has('fix') }),
  )
  return diagnosis.verdict === 'enforced' ? 0 : 1
}
