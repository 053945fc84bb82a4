import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file at the top of the package: two directories up in the sources, one from the bundle. */
export function packageFile(name: string): string {
  let directory = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(directory, name)) && dirname(directory) !== directory)
    directory = dirname(directory)
  return join(directory, name)
}

/** The version of this package. */
export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }
  return version
}
