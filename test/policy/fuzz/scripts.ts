import { readFileSync } from 'node:fs'
import type { Random } from './random.ts'

type Vocabulary = Readonly<Record<string, readonly string[]>>

const vocabulary = JSON.parse(readFileSync(new URL('vocabulary.json', import.meta.url), 'utf8')) as Vocabulary

/** Lines that parsers of shell got wrong, or that shells read differently. `zap` is the program that must not be missed. */
export const hardLines = JSON.parse(
  readFileSync(new URL('hard-lines.json', import.meta.url), 'utf8'),
) as readonly string[]

function some(random: Random, ...kinds: readonly string[]): string {
  return random.pick(vocabulary[random.pick(kinds)] ?? [])
}

/** One script, of a seeded random shape. */
export function randomScript(random: Random): string {
  random.calm = random.chance(0.5)
  let script = random.chance(random.calm ? 0.05 : 0.2) ? random.pick(hardLines) : list(random, 0)
  if (random.chance(0.1)) script = spliced(random, script, random.pick(hardLines))
  // A loop whose condition is edited may never end.
  const edits = random.chance(0.4) && !/while|until/.test(script) ? random.below(4) : 0
  for (let edit = 0; edit < edits; edit++) script = edited(random, script)
  return script
}

function spliced(random: Random, a: string, b: string): string {
  return a.slice(0, random.below(a.length + 1)) + b.slice(random.below(b.length + 1))
}

function edited(random: Random, script: string): string {
  const at = random.below(script.length + 1)
  const cut = random.chance(0.4) ? 1 + random.below(3) : 0
  const put = random.chance(0.75) ? some(random, 'special') : ''
  return script.slice(0, at) + put + script.slice(at + cut)
}

function list(random: Random, depth: number): string {
  const parts = [statement(random, depth)]
  while (random.chance(0.3))
    parts.push(random.pick([' ; ', ' && ', ' || ', ' | ', '\n', ' & ', ';']), statement(random, depth))
  return parts.join('')
}

function statement(random: Random, depth: number): string {
  if (depth > 2 || random.chance(0.6)) return simple(random, depth)
  return random.pick(random.calm ? calmCompounds : compounds)(random, depth + 1)
}

type Maker = (random: Random, depth: number) => string

const compounds: readonly Maker[] = [
  (random, depth) => `(${list(random, depth)})`,
  (random, depth) => `( ${list(random, depth)} )`,
  (random, depth) => `{ ${list(random, depth)}; }`,
  (random, depth) => `if ${list(random, depth)}; then ${list(random, depth)}; fi`,
  (random, depth) => `for x in ${words(random, depth)}; do ${list(random, depth)}; done`,
  (random, depth) =>
    `case ${word(random, depth)} in ${word(random, depth)}) ${list(random, depth)};; *) ${list(random, depth)};; esac`,
  (random, depth) => `while false; do ${list(random, depth)}; done`,
  (random, depth) => `until true; do ${list(random, depth)}; done`,
  (random, depth) => `f() { ${list(random, depth)}; }; f`,
  (random, depth) => `((${list(random, depth)}))`,
  (random, depth) => `[[ ${word(random, depth)} && ${word(random, depth)} ]]`,
  (random, depth) => `cat <<E\n${hereText(random, depth)}\nE\n${simple(random, depth)}`,
  (random, depth) => `cat <<'E'\n${hereText(random, depth)}\nE\n${simple(random, depth)}`,
  (random, depth) => `cat <<-E\n\t${hereText(random, depth)}\n\tE\n${simple(random, depth)}`,
  (random, depth) => `cat <<E; ${simple(random, depth)}\n${hereText(random, depth)}\nE`,
  (random, depth) => `time ${simple(random, depth)}`,
  (random, depth) => `! ${simple(random, depth)}`,
  (random, depth) => `coproc ${simple(random, depth)}`,
  (random, depth) => `${simple(random, depth)} # ${word(random, depth)}\n${simple(random, depth)}`,
  (random, depth) => `[[ ${random.pick(['-f', '-n', '! -z', '-v'])} ${word(random, depth)} ]]`,
  (random, depth) => {
    const operator = random.pick(['=', '==', '=~', '-eq', '-nt', '<'])
    return `[[ ${word(random, depth)} ${operator} ${word(random, depth)} ]]`
  },
]

/** Those that every shell reads alike. */
const calmCompounds = compounds.filter((_, index) => ![8, 9, 10, 15, 17].includes(index))

function simple(random: Random, depth: number): string {
  const head = some(random, random.chance(random.calm ? 0 : 0.06) ? 'forbiddenHeads' : 'harmlessHeads')
  const prefix = random.chance(random.calm ? 0 : 0.03) ? `${some(random, 'prefixHeads')} ` : ''
  return `${prefix}${head} ${words(random, depth)}${redirect(random, depth)}`
}

function words(random: Random, depth: number): string {
  return Array.from({ length: random.below(4) }, () => word(random, depth)).join(
    random.pick([' ', ' ', '  ', '\t', ' \\\n']),
  )
}

function word(random: Random, depth: number): string {
  const length = 1 + random.below(3)
  return Array.from({ length }, () => piece(random, depth)).join('')
}

function piece(random: Random, depth: number): string {
  if (depth > 3 || random.chance(0.6)) return some(random, 'plain', 'plain', 'plain', 'plain', 'odd')
  return random.pick(random.chance(random.calm ? 0.9 : 0.6) ? pieces.slice(0, 5) : pieces)(random, depth + 1)
}

const pieces: readonly Maker[] = [
  (random) => `'${some(random, 'singleQuoted', 'plain', 'odd')}'`,
  (random, depth) => `"${quoted(random, depth)}"`,
  (random, depth) => `$(${list(random, depth)})`,
  (random, depth) => `$( ${list(random, depth)} )`,
  (random, depth) => `\`${list(random, depth).replaceAll('`', '')}\``,
  (random, depth) => `\${x:-${word(random, depth)}}`,
  (random, depth) => `\${x#${word(random, depth)}}`,
  (random, depth) => `"\${x:-${word(random, depth)}}"`,
  (random, depth) => `\${x/${word(random, depth)}/${word(random, depth)}}`,
  (random) => some(random, 'parameters'),
  (random, depth) => `$((${random.chance(0.8) ? some(random, 'numbers') : `$(${list(random, depth)})`}))`,
  (random) => `$'${some(random, 'ansiC')}'`,
  (random, depth) => `$"${quoted(random, depth)}"`,
  (random) => some(random, 'escapes', 'open'),
  (random, depth) => `<(${list(random, depth)})`,
]

function quoted(random: Random, depth: number): string {
  return Array.from({ length: random.below(3) }, () =>
    random.chance(0.5)
      ? some(random, 'doubleQuoted', 'plain', 'plain')
      : random.pick(pieces.slice(2, 11))(random, depth),
  ).join('')
}

function hereText(random: Random, depth: number): string {
  return random.chance(0.5) ? quoted(random, depth).replaceAll('E', '') : some(random, 'hereTexts')
}

function redirect(random: Random, depth: number): string {
  if (random.chance(0.8)) return ''
  return random.chance(0.1) ? ` >${word(random, depth)}` : some(random, 'redirects')
}
