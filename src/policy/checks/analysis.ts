import type { Arguments, Objection } from '../command/arguments.ts'

/** less runs an operand that begins with `+` as a command. */
export function checkLess({ operands }: Arguments): Objection | undefined {
  const bad = operands.find(({ fixed }) => fixed.startsWith('+') || fixed === '')
  return bad && { kind: 'operand', text: bad.text }
}

const ARCHIVE = /\.(?:tar|tgz|tbz2?|txz|zip|jar|war|ear|whl|egg|rpm|deb|gz|bz2|xz|z|7z|dmg)$/i

/** cloc unpacks archives with other programs. */
export function checkCloc({ operands }: Arguments): Objection | undefined {
  const bad = operands.find((word) => word.kind !== 'literal' || ARCHIVE.test(word.value))
  return bad && { kind: 'operand', text: bad.text }
}
