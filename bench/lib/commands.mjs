// Ways to run a command to its end, the ones that are compared.
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { join } from 'node:path'

/**
 * child_process.spawn, nothing to read, both outputs read and dropped, until everything is closed.
 * @param {string} program @param {string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<number | null>} the exit code
 */
export function plain(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout?.resume()
    child.stderr?.resume()
    child.once('error', reject)
    child.once('close', resolve)
  })
}

/**
 * The same, with what it wrote.
 * @param {string} program @param {string[]} args @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<{ code: number | null, text: string }>}
 */
export function told(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, text }))
  })
}

/** The path of a program that PATH leads to. @param {string} name */
export function findProgram(name) {
  return (process.env['PATH'] ?? '')
    .split(':')
    .map((directory) => join(directory, name))
    .find(isExecutable)
}

/** @param {string} path */
export function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    // ENOENT, EACCES: either way it cannot be run from there, which is what was asked.
    return false
  }
}

/** Throws unless the command ended well: a bench of failures would be fast. @param {import('../../dist/index.js').Result} result */
export function succeeded(result) {
  if (result.exitCode === 0) return result
  throw new Error(`a measured command ended with ${result.exitCode ?? result.signal}: ${result.output}`)
}
