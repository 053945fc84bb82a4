import type { Arguments, Objection } from '../command/arguments.ts'

const FLAG = /^-(?:a|b|C|d|E|e|i|p|ps|plain|u|h|v)$/
const WITH_NUMBER = /^-(?:c|g|l|len|o|s)(?:[-+]?(?:0x)?[0-9a-f]+)?$/

/** xxd: `-r` and a second file write. Options are words, not clusters, and end at the first file: `-ps IN -p` writes to `-p`. */
export function checkXxd({ words }: Arguments): Objection | undefined {
  let files = 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]
    if (!word) break
    const text = word.value
    if (
      word.kind !== 'literal' &&
      (word.kind !== 'quoted' || word.fixed === '' || word.fixed.startsWith('-'))
    )
      return { kind: 'open-word', text: word.text }
    if (files > 0 || !text.startsWith('-') || text === '-') files += 1
    else if (/^-(?:c|g|l|len|o|s)$/.test(text)) {
      if (!/^[-+]?(?:0x)?[0-9a-f]+$/.test(words[++at]?.value ?? '')) return { kind: 'form', text }
    } else if (!FLAG.test(text) && !WITH_NUMBER.test(text)) return { kind: 'option', text }
  }
  return files > 1 ? { kind: 'operand', text: words.at(-1)?.text ?? '' } : undefined
}
