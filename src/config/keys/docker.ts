import { wanted } from '../../messages/wanted.ts'
import { defineKey, mountsKey, onlyTrusted, pattern, userOnly } from '../field.ts'

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
  memory: defineKey(
    'Memory of the container, with the suffix b, k, m or g.',
    () => pattern(wanted.size, /^[1-9][0-9]*[bkmgBKMG]?$/),
    '1g',
    onlyTrusted,
  ),
} as const
