import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** This module's file. Bundles of CommonJS modules have no import.meta.url; `node -e` and workers have a global __filename. */
const here = import.meta.url === undefined ? __filename : fileURLToPath(import.meta.url)

/** A file at the top of the package, from the sources and from dist/ alike. */
export function packageFile(name: string): string {
  for (let at = dirname(here); ; at = dirname(at)) {
    const file = join(at, name)
    if (existsSync(file) || dirname(at) === at) return file
  }
}

/** The package's directory; from a bundle, that of the package it would import. Throws without one. */
export function packageRoot(): string {
  const manifest = packageFile('package.json')
  if (isOwn(manifest)) return dirname(manifest)
  // Loaded late: `vitrine --version` needs none of it.
  const { createRequire } = process.getBuiltinModule('node:module')
  return dirname(createRequire(here).resolve('vitrine/package.json'))
}

function isOwn(manifest: string): boolean {
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).name === 'vitrine'
}
