// What package tests share: a project that has the packed vitrine, and tools of the registry, kept in the tests' cache.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { cache, fetchPackage } from '../../scripts/cache.mjs'
import { npm } from '../../scripts/npm.mjs'

const { tarball } = JSON.parse(process.env.VITRINE_PACKED)
const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** A project that has vitrine as npm installs it, of ES modules unless `type` says otherwise; removed when the process ends. */
export function makeProject({ type = 'module', packages = [] } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'vitrine-project-'))
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  install(directory, [tarball, ...packages], type)
  return directory
}

/** The `node_modules` of the cache that has a tool of the registry with all that it needs. */
export function installedTool(specifier) {
  const directory = join(cache, `tool-${specifier.replaceAll(/[^\w.-]/g, '-')}`)
  const stamp = join(directory, '.installed')
  if (!existsSync(stamp)) {
    rmSync(directory, { recursive: true, force: true })
    mkdirSync(directory, { recursive: true })
    install(directory, [specifier])
    writeFileSync(stamp, '')
  }
  return join(directory, 'node_modules')
}

/** The program of a package that is a single program. */
export function fetchedProgram(specifier, path) {
  const { directory, missing } = fetchPackage(specifier)
  if (missing) throw new Error(missing)
  return join(directory, path)
}

const platform = process.arch === 'arm64' ? 'aarch64' : 'x64'
export const bun = () => fetchedProgram(`@oven/bun-linux-${platform}@1.4.5`, 'bin/bun')

function install(directory, specifiers, type = 'module') {
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ private: true, type }))
  const { status, stderr } = npm(['install', ...quietly, ...specifiers], { cwd: directory, encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm install ${specifiers.join(' ')} failed: ${stderr}`)
}

/** Writes files of a project; their directories are made. */
export function write(project, files) {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, name)), { recursive: true })
    writeFileSync(join(project, name), text)
  }
}

/** Runs a program in a project, with a home of its own, three minutes at most. */
export function run(project, program, args, env = {}) {
  const { PATH } = process.env
  return spawnSync(program, args, {
    cwd: project,
    encoding: 'utf8',
    timeout: 180_000,
    killSignal: 'SIGKILL',
    env: { PATH, HOME: join(project, 'home'), NO_COLOR: '1', CI: '1', ...env },
  })
}
