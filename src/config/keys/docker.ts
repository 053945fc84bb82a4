import { wanted } from '../../messages/wanted.ts'
import {
  boolean,
  decimal,
  defineKey,
  filledText,
  integer,
  maxProcesses,
  mountsKey,
  onlyTrusted,
  pattern,
  textValue,
  userOnly,
} from '../field.ts'

export const dockerKeys = {
  image: defineKey(
    'Image of the container; empty: the image of "vitrine docker build".',
    () => pattern(wanted.image, /^$|^(?!.*(\.\.|\/\/))[A-Za-z0-9][\w.:/@-]*$/),
    '',
    onlyTrusted,
  ),
  mounts: mountsKey(
    'Paths shown besides the workspace: PATH[:ro|:rw]; paths of your home directory appear in HOME. Read mode never writes there.',
    userOnly,
  ),
  user: defineKey(
    'User of commands: an id such as "1000:1000", "owner" (of the workspace); empty: yours.',
    () => pattern(wanted.user, /^$|^owner$|^[0-9]{1,10}(:[0-9]{1,10})?$/),
    '',
    onlyTrusted,
  ),
  network: defineKey(
    'Network of the container, as docker run --network names it.',
    () => filledText(wanted.networkName),
    'none',
    onlyTrusted,
  ),
  memory: defineKey(
    'Memory of the container, with the suffix b, k, m or g.',
    () => pattern(wanted.size, /^[1-9][0-9]*[bkmgBKMG]?$/),
    '1g',
    onlyTrusted,
  ),
  cpus: defineKey('CPUs of the container; fractions count.', () => decimal(0.01, 1024), 1, onlyTrusted),
  pids: defineKey(
    'Processes in the container at the same time.',
    () => integer(1, maxProcesses),
    256,
    onlyTrusted,
  ),
  writable_root: defineKey("true: the container's own root can be written.", boolean, false, onlyTrusted),
  start_command: defineKey(
    'Command line that starts the engine, also before a docker command of write mode; empty: none.',
    textValue,
    '',
    onlyTrusted,
  ),
} as const
