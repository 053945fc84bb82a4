import { accessSync, constants, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { succeeds, tried } from '../../base/errno.ts'
import { showsAsItIs } from '../../messages/cli/shell.ts'
import { colonWords, ownPrograms } from './words.ts'

export interface SearchPath {
  readonly directory: string
  readonly path: string
}

/** The completions of a line's last word, as readline expects them. */
export function offersFor(line: string, place: SearchPath): [string[], string] {
  const word = /(?:[^\s\\;&|(]|\\.)*$/.exec(line)?.[0] ?? ''
  const before = line.slice(0, line.length - word.length)
  if (before.trim() === '' && word.startsWith(':'))
    return [colonWords.filter((known) => known.startsWith(word)), word]
  if (word !== '' && !word.includes(sep) && isCommandPlace(before)) return [programs(word, place), word]
  return [paths(word, place.directory), word]
}

/** Whether the next word is the name of a program. */
function isCommandPlace(before: string): boolean {
  return /(?:^|[;&|(]|\b(?:do|then|else|if|while|until|exec|time)\s)\s*$/.test(before)
}

function programs(begun: string, { path, directory }: SearchPath): string[] {
  const found = path
    .split(':')
    .map((entry) => resolve(directory, entry))
    .flatMap((entry) => namesIn(entry, begun).filter(({ name }) => canRun(join(entry, name))))
  const names = [...ownPrograms.filter((name) => name.startsWith(begun)), ...found.map(({ name }) => name)]
  return [...new Set(names)].sort().map((name) => `${escaped(name)} `)
}

/** Not a dangling link, nor a file that this user may not execute. */
function canRun(file: string): boolean {
  return (
    succeeds(() => accessSync(file, constants.X_OK)) &&
    statSync(file, { throwIfNoEntry: false })?.isFile() === true
  )
}

function paths(word: string, directory: string): string[] {
  const plain = word.replace(/\\(.)/g, '$1')
  const begun = plain.slice(plain.lastIndexOf(sep) + 1)
  const where = resolve(directory, plain === begun ? '.' : dirname(`${plain}x`))
  const before = plain.slice(0, plain.length - begun.length)
  return namesIn(where, begun).map(({ name, isDirectory }) =>
    escaped(before + name + (isDirectory ? sep : '')),
  )
}

function escaped(name: string): string {
  return name.replace(/[^\w./@%+:,=^-]/gu, '\\$&')
}

interface Name {
  readonly name: string
  readonly isDirectory: boolean
}

/** A directory that cannot be listed offers nothing. */
function namesIn(directory: string, begun: string): readonly Name[] {
  const entries = tried(() => readdirSync(directory, { withFileTypes: true })) ?? []
  return entries
    .filter(
      ({ name }) => name.startsWith(begun) && (begun !== '' || !name.startsWith('.')) && showsAsItIs(name),
    )
    .map((entry) => ({ name: entry.name, isDirectory: entry.isDirectory() }))
}
