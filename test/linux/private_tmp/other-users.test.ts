import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nobody, whyNot } from '../../helpers/other-users.ts'
import { makeDirectory } from '../../helpers/place.ts'
import { makeGround, uid } from './ground.ts'

/** A directory that everyone may move, with one of another user's in it, where root needs its capabilities to remove a file. */
function makeWorkspace(): string {
  const workspace = makeDirectory()
  const [open, theirs] = [join(workspace, 'open'), join(workspace, 'open/theirs')]
  mkdirSync(theirs, { recursive: true })
  writeFileSync(join(theirs, 'file'), 'theirs')
  chmodSync(open, 0o777)
  for (const path of [theirs, join(theirs, 'file')]) chownSync(path, nobody.uid, nobody.gid)
  return workspace
}

const filesIn = (directory: string): string[] =>
  existsSync(directory)
    ? readdirSync(directory, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/file'))
    : []

describe.runIf(uid === 0 && whyNot(nobody) === null)(
  "a directory with another user's files, moved to root's private TMPDIR",
  () => {
    it('is left, and told: the host removes no more than the command could', async () => {
      const workspace = makeWorkspace()
      const { run, parent } = await makeGround({ mode: 'workspace', cwd: workspace })
      const refused = await run('rm -rf open/theirs')
      expect([refused.exitCode, filesIn(workspace)]).toEqual([1, ['open/theirs/file']])
      const { exitCode, stderr, enforcement } = await run(
        'mkdir "$TMPDIR/a"; : > "$TMPDIR/a/b"; mv open "$TMPDIR"',
      )
      expect({ exitCode, stderr, moved: filesIn(workspace) }).toEqual({ exitCode: 0, stderr: '', moved: [] })
      const left = filesIn(parent)
      expect(left.map((path) => readFileSync(join(parent, path), 'utf8'))).toEqual(['theirs'])
      expect(enforcement['private tmp']?.note).toMatch('EACCES')
      expect(
        readdirSync(parent, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('/b')),
      ).toEqual([])
      await run('true')
      expect(filesIn(parent)).toEqual(left)
    })

    it('is removed where its owner lets everyone do so', async () => {
      const workspace = makeWorkspace()
      chmodSync(join(workspace, 'open/theirs'), 0o777)
      const { run, left } = await makeGround({ mode: 'workspace', cwd: workspace })
      expect((await run('mv open "$TMPDIR"')).exitCode).toBe(0)
      expect(left()).toEqual([])
    })
  },
)

describe.runIf(uid === 0 && whyNot(nobody) === null)(
  "a workspace that is another user's, for root's command",
  () => {
    it('is changed no more than the command itself could: the host does nothing for it', async () => {
      for (const mode of ['workspace', 'write'] as const) {
        const workspace = makeDirectory()
        writeFileSync(join(workspace, 'file'), 'theirs')
        for (const path of [workspace, join(workspace, 'file')]) chownSync(path, nobody.uid, nobody.gid)
        const { run } = await makeGround({ mode, cwd: workspace })
        const codes: (number | null)[] = []
        const lines = ['echo x > made', 'mkdir directory', 'echo x >> file', 'mv file moved', 'rm moved']
        for (const line of lines) codes.push((await run(line)).exitCode)
        expect([mode, codes.every((code) => code === 0)]).toEqual([mode, mode === 'write'])
        const left = mode === 'write' ? ['directory', 'made'] : ['file']
        expect(readdirSync(workspace)).toEqual(left)
        if (mode === 'workspace') expect(readFileSync(join(workspace, 'file'), 'utf8')).toBe('theirs')
      }
    })
  },
)
