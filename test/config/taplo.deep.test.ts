import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { repository as root } from '../helpers/repository.ts'
import { makePlace } from './place.ts'

it('taplo finds nothing wrong with the example, nor with any other TOML file of ours', () => {
  const examples = tomlFilesIn(join(root, 'examples'))
  const { status, stderr } = taplo([join(root, 'config.example.toml'), ...examples])
  expect({ status, errors: errorsIn(stderr) }).toEqual({ status: 0, errors: [] })
})

it('taplo refuses a wrong type, a bad value, an unknown key and an unknown section', () => {
  const place = makePlace()
  const wrong = ['shell.timeout_ms = "30s"', 'shell.timeout_ms = 0', 'shell.timout_ms = 3', '[shel]']
  const files = wrong.map((toml, index) => place.write(join(place.home, `${index}.toml`), toml))
  const { status, stderr } = taplo(files)
  expect(status).toBe(1)
  for (const file of files) expect(errorsIn(stderr)).toContainEqual(expect.stringContaining(file))
})

function taplo(files: readonly string[]) {
  const cli = join(root, 'node_modules', '@taplo', 'cli', 'dist', 'cli.js')
  const schema = `file://${join(root, 'config.schema.json')}`
  const options = { encoding: 'utf8', cwd: root } as const
  return spawnSync(process.execPath, [cli, 'lint', '--schema', schema, ...files], options)
}

function errorsIn(stderr: string): readonly string[] {
  return stderr.split('\n').filter((line) => line.includes('ERROR'))
}

function tomlFilesIn(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.toml') && !name.includes('node_modules'))
    .map((name) => join(directory, name))
}
