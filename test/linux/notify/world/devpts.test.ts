import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { makeDirectory } from '../../../helpers/place.ts'
import { builtLibrary } from '../../../helpers/programs.ts'
import { fixture, noPython, noWorld, python } from './world.ts'

const mounts = !noWorld && spawnSync('unshare', ['-m', 'mount', '-t', 'devpts', 'none', '/mnt']).status === 0

/** Makes a terminal in the mounted place, and tries it outside, then inside. */
const program = `
import fcntl, os, struct, subprocess, sys
place, *inside = sys.argv[1:]
master = os.open(place + '/ptmx', os.O_RDWR | os.O_NOCTTY)
fcntl.ioctl(master, 0x40045431, struct.pack('i', 0))  # TIOCSPTLCK
number = struct.unpack('i', fcntl.ioctl(master, 0x80045430, bytes(4)))[0]  # TIOCGPTN
tried = ['${python}', '${fixture('devpts.py')}', place, str(number)]
for command in tried, inside + tried: subprocess.run(command)`

const host = `
import { openShell } from ${JSON.stringify(builtLibrary)}
const [cwd, ...argv] = process.argv.slice(1)
const shell = await openShell({ mode: 'workspace', cwd })
process.stdout.write((await shell.execute({ argv })).output)
await shell.close()`

it.skipIf(!mounts || noPython)(
  'no terminal of a devpts that is mounted elsewhere is opened to write (needs root)',
  () => {
    const place = makeDirectory()
    const inside = [process.execPath, '--input-type=module', '-e', host, makeDirectory()]
    const script = 'mount -t devpts -o newinstance,ptmxmode=0666 none "$0" && exec "$@"'
    const words = ['-m', 'sh', '-c', script, place, python, '-c', program, place, ...inside]
    const { stdout } = spawnSync('unshare', words, { encoding: 'utf8' })
    expect(stdout).toBe('reached\nreached\nrefused Permission denied\nrefused Permission denied\n')
  },
)
