import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isBeneath } from '../../src/base/paths.ts'
import { type PathQuestion, whereIs } from '../../src/facts/lookup.ts'
import { type LookupAddon, nativeLookup } from '../../src/facts/native-lookup.ts'
import { loadAddon } from '../../src/launch/addon.ts'
import { makeDirectory } from '../helpers/place.ts'

const loaded = process.platform === 'linux' ? loadAddon() : { missing: 'Linux' }
const addon = 'missing' in loaded ? undefined : (loaded as unknown as LookupAddon)

/** Asks, and counts the questions that went to a process. */
async function ask(questions: readonly PathQuestion[], found = addon as LookupAddon) {
  let processes = 0
  const counted: LookupAddon = {
    look: (text, callback) => {
      processes += text.split('\0').length
      return found.look(text, callback)
    },
    giveUpLooking: (id) => found.giveUpLooking(id),
    lookCached: (text) => found.lookCached(text),
  }
  const answers = await nativeLookup(counted).ask(questions, 20_000)
  return { answers, processes }
}

/** The kernel has the names in its cache after a first look. */
async function askAgain(questions: readonly PathQuestion[]) {
  await ask(questions)
  return ask(questions)
}

/** A mount or unmount elsewhere keeps the kernel from answering at that moment (fs/namei.c, mount_lock). */
async function askUntilKnown(questions: readonly PathQuestion[]) {
  for (;;) {
    const { answers, processes } = await ask(questions)
    if (processes === 0) return answers
  }
}

const root = makeDirectory()

/** A mount is not entered: on one, each question takes a process. proc_pid_mountinfo(5): the fifth field is the mount point. */
function isOnRootMount(): boolean {
  const points = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '/')
  return points.every((point) => point === '/' || !isBeneath(root, point))
}

describe.skipIf(!addon || !isOnRootMount())(
  'a lookup that the kernel answers from its cache of names',
  () => {
    mkdirSync(join(root, 'a/b'), { recursive: true })
    writeFileSync(join(root, 'a/file'), 'x')
    symlinkSync('a/b', join(root, 'link'))
    symlinkSync('nowhere', join(root, 'dangling'))
    symlinkSync('a', join(root, 'up'))
    const at = (path: string) => join(root, path)

    it('takes no process, and says the same', async () => {
      const questions: readonly PathQuestion[] = [
        whereIs(at('a/file')),
        whereIs(at('a/gone/x')),
        whereIs(at('link')),
        whereIs(at('link/gone')),
        whereIs(`${at('a')}/./b/../file/`),
        whereIs(`${at('link')}/../gone`),
        { kind: 'exists', path: at('dangling') },
        { kind: 'exists', path: at('gone') },
        { kind: 'directory', path: at('link') },
        { kind: 'directory', path: at('a/file') },
        { kind: 'text', path: at('gone') },
      ]
      const answers = await askUntilKnown(questions)
      expect(answers).toEqual([
        { found: `${at('a/file')}\0` },
        { found: `${at('a')}\0/gone/x` },
        { found: `${at('a/b')}\0` },
        { found: `${at('a/b')}\0/gone` },
        { found: `${at('a/file')}\0` },
        { found: `${at('a')}\0/gone` },
        { found: '' },
        { failed: 'ENOENT' },
        { found: '' },
        { failed: 'ENOTDIR' },
        { failed: 'ENOENT' },
      ])
    })

    it('finds a program along PATH with one question', async () => {
      const places = (...entries: string[]) => entries.map(at).join(':')
      const program = (path: string): PathQuestion => ({ kind: 'program', path })
      const answers = await askUntilKnown([
        program(`${places('none', 'a/b', 'link', 'a', 'a')}/file`),
        program(`${places('a/b', 'link')}/file`),
        program(`${places('none', 'up')}/b`),
      ])
      expect(answers).toEqual([
        { found: [at('a/file'), at('a/file'), at('a')].join('\0') },
        { failed: 'ENOENT' },
        { found: [at('a/b'), at('up/b'), at('a')].join('\0') },
      ])
    })

    it('leaves contents, other mounts and dangling links to a process', async () => {
      const questions: readonly PathQuestion[] = [
        { kind: 'text', path: at('a/file') },
        whereIs('/proc/self/stat'),
        whereIs(at('dangling/x')),
        whereIs(at('a/file')),
      ]
      statSync('/proc/self/stat')
      const { answers, processes } = await askAgain(questions)
      expect(answers?.[0]).toEqual({ found: 'x' })
      expect(answers?.slice(2)).toEqual([{ found: `${root}\0/nowhere/x` }, { found: `${at('a/file')}\0` }])
      expect(processes).toBe(3)
    })

    it('sees at once what has changed', async () => {
      const { answers: before } = await askAgain([whereIs(at('late'))])
      symlinkSync('a', at('late'))
      const { answers: linked } = await askAgain([whereIs(at('late'))])
      rmSync(at('late'))
      mkdirSync(at('late'))
      const { answers: made } = await askAgain([whereIs(at('late'))])
      rmSync(at('late'), { recursive: true })
      expect([before, linked, made]).toEqual([
        [{ found: `${root}\0/late` }],
        [{ found: `${at('a')}\0` }],
        [{ found: `${at('late')}\0` }],
      ])
    })

    it('answers up to the first question that a process did not answer in time', async () => {
      const hangs: LookupAddon = {
        ...(addon as LookupAddon),
        look: () => 1,
        giveUpLooking: () => Buffer.alloc(0),
      }
      const questions: readonly PathQuestion[] = [
        whereIs(at('a/file')),
        { kind: 'text', path: at('a/file') },
        whereIs(at('a')),
      ]
      await ask(questions)
      expect(
        await nativeLookup({ ...hangs, lookCached: (text) => (addon as LookupAddon).lookCached(text) }).ask(
          questions,
          1,
        ),
      ).toEqual([{ found: `${at('a/file')}\0` }])
    })
  },
)
