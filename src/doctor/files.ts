import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Attempt, onFiles } from './attempt.ts'

function contents(directory: string): string {
  const names = readdirSync(directory).sort()
  return JSON.stringify([
    names,
    names.includes('file') ? readFileSync(join(directory, 'file'), 'utf8') : null,
  ])
}

/** Every change of metadata updates ctime (inode(7)), which cannot be set back. */
export function fileMetadata(directory: string): string {
  const { mode, uid, gid, mtimeNs, ctimeNs } = statSync(join(directory, 'file'), { bigint: true })
  return [mode, uid, gid, mtimeNs, ctimeNs].join(' ')
}

export const changing = (name: string, command: string) => onFiles('file contents', name, command, contents)
const describing = (name: string, command: string) => onFiles('file metadata', name, command, fileMetadata)

const setAttribute = 'import os; os.setxattr("file", "user.vitrine", b"x")'

export const fileAttempts: readonly Attempt[] = [
  changing('write to a file', 'echo changed > file'),
  changing('append to a file', 'echo more >> file'),
  changing('create a file', ': > new'),
  changing('delete a file', 'rm -f file'),
  changing('rename a file', 'mv file new'),
  changing('make a directory', 'mkdir new'),
  changing('make a symbolic link', 'ln -s file new'),
  changing('make a hard link', 'ln file new'),
  describing('change the mode', 'chmod 777 file'),
  describing('set the times', 'touch -d 2001-02-03 file'),
  describing('change the owner', 'chown "$(id -u):$(id -g)" file'),
  describing(
    'set an extended attribute',
    `setfattr -n user.vitrine -v x file || python3 -c '${setAttribute}'`,
  ),
  onFiles('device nodes', 'make a FIFO', 'mkfifo new', contents),
]
