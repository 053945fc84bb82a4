import { lstatSync, readlinkSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { tried } from '../../base/errno.ts'

/** As many as the kernel follows: path_resolution(7). */
const maxLinks = 40

/** Finds where paths lead, link by link: what a path ends at does not show the places that it has passed through. */
export class Ways {
  readonly #links = new Map<string, string | undefined>()

  /** The path from the first place on its way that `isThere` accepts, without links up to that place; undefined: it passes none. */
  from(path: string, isThere: (place: string) => boolean): string | undefined {
    const names = path.split('/')
    let at = '/'
    for (let followed = 0; names.length > 0 && followed <= maxLinks; ) {
      const place = join(at, names.shift() ?? '')
      if (isThere(place)) return join(place, ...names)
      const target = this.#targetOf(place)
      at = target === undefined ? place : isAbsolute(target) ? '/' : dirname(place)
      if (target === undefined) continue
      names.unshift(...target.split('/'))
      followed += 1
    }
    return undefined
  }

  #targetOf(place: string): string | undefined {
    if (!this.#links.has(place)) this.#links.set(place, targetOf(place))
    return this.#links.get(place)
  }
}

/** Undefined: no link, or nothing that can be looked at. */
function targetOf(place: string): string | undefined {
  return tried(() => lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink())
    ? tried(() => readlinkSync(place))
    : undefined
}
