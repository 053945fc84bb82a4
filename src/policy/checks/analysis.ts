import { type Arguments, firstBad, type Objection } from '../command/arguments.ts'
import { knownValue } from '../syntax/line.ts'

/** less runs an operand that begins with `+` as a command, and types the value of `-p` as a search, whose further lines are commands. */
export function checkLess({ operands, options }: Arguments): Objection | undefined {
  const search = options.find(({ name, value }) => name === '-p' && !/^[^\n]+$/.test(knownValue(value) ?? ''))
  if (search) return { kind: 'open-word', text: `-p ${search.value?.text}` }
  return firstBad(operands, ({ fixed }) => fixed.startsWith('+') || fixed === '')
}

const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|zip|jar|war|ear|whl|egg|rpm|deb|gz|bz2|xz|z|7z|dmg)$/i

/** cloc unpacks archives with other programs. */
export function checkCloc({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => word.kind !== 'literal' || ARCHIVE.test(word.value))
}

/** scc reads options, such as `-o`, from `@FILE`. */
export function checkScc({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, ({ fixed }) => fixed.startsWith('@') || fixed === '')
}

/** yq: `load` reads any file, and `eval` may make its name. */
export function checkYq({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => /\b(?:load\w*|eval)\s*\(/.test(knownValue(word) ?? ''))
}
