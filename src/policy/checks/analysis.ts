import { type Arguments, firstBad, type Objection } from '../command/arguments.ts'

/** less runs an operand that begins with `+` as a command. */
export function checkLess({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, ({ fixed }) => fixed.startsWith('+') || fixed === '')
}

const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|zip|jar|war|ear|whl|egg|rpm|deb|gz|bz2|xz|z|7z|dmg)$/i

/** cloc unpacks archives with other programs. */
export function checkCloc({ operands }: Arguments): Objection | undefined {
  return firstBad(operands, (word) => word.kind !== 'literal' || ARCHIVE.test(word.value))
}
