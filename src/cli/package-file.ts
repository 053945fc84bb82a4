import { readFileSync } from 'node:fs'
import { packageFile } from '../base/package-file.ts'

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as { version: string }
  return version
}
