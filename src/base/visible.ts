const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** Escapes characters by which text could move the cursor, hide itself or change the reading direction. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu,
    (character) => named[character] ?? escaped(character),
  )
}

/** At most `most` characters of a text, and dots where it goes on. */
export function clipped(text: string, most: number): string {
  const shown = visible(text)
  return shown.length > most ? `${shown.slice(0, most)}...` : shown
}

/** Escapes invisible characters and unusual blanks, too: for text that a person decides by. */
export function whollyVisible(text: string): string {
  return visible(text).replace(
    /(?! )[\p{Zs}\p{Default_Ignorable_Code_Point}\u2800]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
}
