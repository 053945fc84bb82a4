// Seeded randomness: the same seed and step give the same numbers, whatever runs beside.

// splitmix32: each of its 2^32 states once, every bit mixed.
function generator(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x9e3779b9) >>> 0
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
}

export class Random {
  #next

  constructor(seed, step) {
    this.#next = generator(generator(seed)() ^ generator(step + 0x51ed)())
  }

  /** A whole number from `from` to `to`, both included. */
  between(from, to) {
    return from + (this.#next() % (to - from + 1))
  }

  /** The same with small numbers as likely as large ones: each order of magnitude gets its turn. */
  magnitude(most) {
    return this.between(0, Math.max(1, most >>> this.between(0, 20)))
  }

  chance(oneIn) {
    return this.#next() % oneIn === 0
  }

  pick(items) {
    return items[this.#next() % items.length]
  }

  /** One of the items, each as likely as its weight says. */
  weighted(items) {
    return this.pick(items.flatMap((item) => Array(item.weight).fill(item)))
  }

  letters(count) {
    return Array.from({ length: count }, () => String.fromCharCode(97 + (this.#next() % 26))).join('')
  }
}
