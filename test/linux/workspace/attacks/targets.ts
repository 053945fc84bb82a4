import { py, type Row } from '../protected-rows.ts'

const targets = ['.git/config', '.vscode/settings.json', '../outside/file']

/** A descriptor for writing; where that is refused the call is tried on one for reading. */
const prelude = `
def target(path):
    try: return os.open(path, os.O_RDWR)
    except OSError: return os.open(path, os.O_RDONLY)
open("from", "wb").write(b"x" * 8192)
source = os.open("from", os.O_RDWR)
def ioctl(fd, number, argument): return fcntl.ioctl(fd, number, argument)
`

/** What is done to `t`, a descriptor of a target. `source` is one of a file of the workspace with 8192 bytes `x`. */
export type Act = readonly [name: string, text: string, more?: Partial<Row>]

/** A Python program that does that to each target's `path`. */
export function forTargets(statement: string): string {
  return `for path in ${JSON.stringify(targets)}: ${statement}`
}

export function onTargets(acts: readonly Act[]): Row[] {
  return acts.flatMap(([name, text, more]) =>
    targets.map((path) => py(`${name} to ${path}`, `${prelude}t = target("${path}")\n${text}`, more)),
  )
}
