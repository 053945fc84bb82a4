import { spawn } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { capability } from '../needs.ts'
import { marker, type Place, type ReadAttack, reading, type Scene } from './row.ts'

const sh = (line: string): readonly string[] => ['sh', '-c', line]

/** An attempt of reads.c. */
const by = (place: Place, ...words: readonly string[]): Scene => ({ argv: [place.program, ...words] })

/** A process outside that stands in the kept directory and holds the file open as descriptor 3. */
function neighbour({ file }: Place): { readonly pid: number; end(): void } {
  const descriptor = openSync(file, 'r')
  const child = spawn('sleep', ['3600'], {
    cwd: join(file, '..'),
    env: { MARK: marker },
    stdio: ['ignore', 'ignore', 'ignore', descriptor],
  })
  closeSync(descriptor)
  if (child.pid === undefined) throw new Error('sleep could not be started')
  return { pid: child.pid, end: () => void child.kill('SIGKILL') }
}

const ofNeighbour = (name: string, path: (pid: number, place: Place) => string) =>
  reading(
    name,
    (place) => {
      const { pid, end } = neighbour(place)
      return { argv: ['cat', path(pid, place)], end }
    },
    // Without the setting Landlock refuses these as well: the process is outside the sandbox.
    { control: 'write mode' },
  )

/** The filter answers ENOSYS whatever is opened. */
const throughFilter = { control: 'write mode' } as const

const names: readonly ReadAttack[] = [
  reading('open', (place) => by(place, 'open', place.file)),
  reading('cat < file', ({ file }) => ({ argv: sh(`cat < '${file}'`) })),
  reading('. file', ({ file }) => ({ argv: sh(`. '${file}' 2>&1`) })),
  reading('a path with ..', ({ file }) => ({
    argv: ['cat', `${file}/../../kept/file`.replace('file/../', '')],
  })),
  reading('grep -r', ({ directory }) => ({ argv: ['grep', '-r', marker, directory] })),
  reading('git diff --no-index', ({ file }) => ({
    argv: ['git', 'diff', '--no-index', '--no-ext-diff', '/dev/null', file],
  })),
  reading('the working directory is the kept one', (place) => ({
    cwd: join(place.directory, 'kept'),
    argv: ['cat', 'file'],
  })),
  reading('openat from the kept directory', ({ directory, program }) => ({
    argv: [program, 'openat', join(directory, 'kept'), 'file'],
  })),
  reading(
    'openat2 RESOLVE_BENEATH',
    (place) => by(place, 'openat2 RESOLVE_BENEATH', place.directory, 'kept/file'),
    throughFilter,
  ),
  reading(
    'openat2 RESOLVE_IN_ROOT',
    (place) => by(place, 'openat2 RESOLVE_IN_ROOT', place.directory, '/kept/file'),
    throughFilter,
  ),
  reading('O_PATH and /proc/self/fd', (place) => by(place, 'O_PATH and /proc/self/fd', place.file)),
  reading('mmap', (place) => by(place, 'mmap', place.file)),
  reading('/proc/self/root', ({ file }) => ({ argv: ['cat', `/proc/self/root${file}`] })),
  reading('/proc/thread-self/root', ({ file }) => ({ argv: ['cat', `/proc/thread-self/root${file}`] })),
  reading('/proc/self/cwd', ({ directory }) => ({
    cwd: directory,
    argv: ['cat', '/proc/self/cwd/kept/file'],
  })),
]

const links: readonly ReadAttack[] = [
  reading('a symbolic link to it', ({ directory, file }) => {
    symlinkSync(file, join(directory, 'link'))
    return { argv: ['cat', join(directory, 'link')] }
  }),
  reading('a symbolic link to its directory', ({ directory }) => {
    symlinkSync('kept', join(directory, 'link'))
    return { argv: ['cat', join(directory, 'link/file')] }
  }),
  reading('what a kept link leads to', (place) => {
    const [target, link] = [join(place.directory, 'target'), join(place.directory, 'link')]
    mkdirSync(target)
    writeFileSync(join(target, 'file'), marker)
    symlinkSync(target, link)
    return { unreadable: [link], argv: ['cat', join(target, 'file')] }
  }),
  reading('a hard link beside the kept directory', ({ directory, file }) => {
    linkSync(file, join(directory, 'second'))
    return { argv: ['cat', join(directory, 'second')] }
  }),
  reading('the kept name, when a hard link to it stands beside', ({ directory, file }) => {
    linkSync(file, join(directory, 'second'))
    return { argv: ['cat', file] }
  }),
  reading('a hard link beside a kept file', ({ directory }) => {
    const [kept, second] = [join(directory, 'alone'), join(directory, 'second')]
    writeFileSync(kept, marker)
    linkSync(kept, second)
    return { unreadable: [kept], argv: ['cat', second] }
  }),
  reading('a link that is swapped while it is opened', ({ directory, file, program }) => {
    const [plain, swapped, other] = ['plain', 'swapped', 'other'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(plain, 'open to all')
    symlinkSync(plain, swapped)
    const swap = () => {
      for (const target of [file, plain]) {
        symlinkSync(target, other)
        renameSync(other, swapped)
      }
    }
    let timer: NodeJS.Timeout | undefined
    return {
      argv: [program, 'racing', swapped, '2', marker],
      meanwhile: () => {
        timer ??= setInterval(swap, 0)
      },
      end: () => clearInterval(timer),
    }
  }),
]

const appearing: readonly ReadAttack[] = [
  reading('a kept file that comes to be while the command runs', ({ directory, program }) => {
    const [kept, ready] = [join(directory, 'later'), join(directory, 'ready')]
    return {
      unreadable: [kept],
      argv: [program, 'when ready', ready, kept],
      meanwhile: () => {
        writeFileSync(kept, marker)
        writeFileSync(ready, '')
      },
    }
  }),
  reading('a kept file that is replaced while the command runs', ({ directory, file, program }) => {
    const [fresh, ready] = [join(directory, 'fresh'), join(directory, 'ready')]
    return {
      argv: [program, 'when ready', ready, file],
      meanwhile: () => {
        writeFileSync(fresh, marker)
        renameSync(fresh, file)
        writeFileSync(ready, '')
      },
    }
  }),
  reading('a kept link that becomes a directory while the command runs', ({ directory, program }) => {
    const [link, ready] = [join(directory, 'link'), join(directory, 'ready')]
    symlinkSync('kept', link)
    return {
      unreadable: [link],
      argv: [program, 'when ready', ready, join(link, 'file')],
      meanwhile: () => {
        unlinkSync(link)
        mkdirSync(link)
        writeFileSync(join(link, 'file'), marker)
        writeFileSync(ready, '')
      },
    }
  }),
]

const running: readonly ReadAttack[] = [
  reading('a script that is kept', ({ file }) => {
    writeFileSync(file, `#!/bin/sh\necho ${marker}\n`)
    chmodSync(file, 0o755)
    return { argv: sh(`'${file}'`) }
  }),
  reading('sh of a script that is kept', ({ file }) => {
    writeFileSync(file, `echo ${marker}\n`)
    return { argv: ['sh', file] }
  }),
  reading('a program that is kept', ({ directory, file, program }) => {
    const copy = join(directory, 'kept/program')
    const open = join(directory, 'open')
    copyFileSync(program, copy)
    copyFileSync(file, open)
    return { argv: sh(`'${copy}' open '${open}'`) }
  }),
  reading('execveat of a program that is kept', ({ directory, file, program }) => {
    const [copy, open] = [join(directory, 'kept/program'), join(directory, 'open')]
    copyFileSync(program, copy)
    copyFileSync(file, open)
    return { argv: [program, 'execveat', copy, open] }
  }),
  reading('LD_PRELOAD of a library that is kept', ({ directory }) => {
    const library = join(directory, `kept/${marker}.so`)
    const path = /\/\S+\/libm[.-][^\n]*/.exec(readFileSync('/proc/self/maps', 'utf8'))?.[0]
    if (path === undefined) throw new Error('node maps no libm here')
    copyFileSync(path, library)
    return { argv: sh(`LD_PRELOAD='${library}' grep -m1 -o '${marker}' /proc/self/maps 2>/dev/null`) }
  }),
]

const others: readonly ReadAttack[] = [
  ofNeighbour('/proc/PID/root of a process outside', (pid, { file }) => `/proc/${pid}/root${file}`),
  ofNeighbour('/proc/PID/cwd of a process outside', (pid) => `/proc/${pid}/cwd/file`),
  ofNeighbour('/proc/PID/fd of a process outside', (pid) => `/proc/${pid}/fd/3`),
  ofNeighbour('/proc/PID/environ of a process outside', (pid) => `/proc/${pid}/environ`),
  reading('open_by_handle_at', (place) => by(place, 'open_by_handle_at', place.file, place.directory), {
    control: 'write mode',
    needs: [capability('CAP_DAC_READ_SEARCH')],
  }),
]

const throughPrivateTmp: readonly ReadAttack[] = [
  reading('a symbolic link made in the private TMPDIR', ({ file }) => ({
    privateTmp: true,
    argv: sh(`ln -s '${file}' "$TMPDIR/link$$" && cat "$TMPDIR/link$$"; rm "$TMPDIR/link$$"`),
  })),
  reading('a copy to the private TMPDIR', ({ file }) => ({
    privateTmp: true,
    argv: sh(`cp '${file}' "$TMPDIR/copy$$" && cat "$TMPDIR/copy$$"; rm "$TMPDIR/copy$$"`),
  })),
  // Landlock refuses these without the setting as well: nothing outside is linked or renamed.
  ...(['ln', 'mv'] as const).map((program) =>
    reading(
      `${program} to the private TMPDIR`,
      ({ file, directory }) => ({
        privateTmp: true,
        argv: sh(`at="\${TMPDIR:-${directory}}/taken"; ${program} '${file}' "$at" && cat "$at" && rm "$at"`),
      }),
      { control: 'write mode' },
    ),
  ),
]

/** Every attempt to read what is kept, by another name, another way, or at another time. */
export const readAttacks: readonly ReadAttack[] = [
  ...names,
  ...links,
  ...appearing,
  ...running,
  ...throughPrivateTmp,
  ...others,
]
