import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { Home } from '../../cli/vitrine.ts'
import { fillFixture } from '../../compatibility/fixture.ts'

/** A project whose index has another time than an unchanged file: git tries to correct it. */
export function makeProject() {
  const home = new Home()
  fillFixture(home.directory)
  utimesSync(join(home.directory, 'package.json'), 1, 1)

  /** Runs a line in read mode; `own` is what stands on stderr beside the command's own lines. */
  async function run(line: string, ...options: string[]) {
    const ran = await home.run(['run', ...options, '--', line], { env: { PATH: process.env['PATH'] ?? '' } })
    const own = ran.stderr.split('\n').filter((text) => text.startsWith('vitrine: '))
    return { ...ran, own }
  }

  return { home, run }
}
