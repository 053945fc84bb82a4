import { type Attack, attack, by } from '../../attack.ts'
import { files } from '../../targets/files.ts'

type Choices = Parameters<typeof attack>[3]

const onFile = (attempt: string, words: readonly string[] = ['{file}'], choices: Choices = {}) =>
  attack(attempt, by('supervisor', attempt, ...words), files, choices)

/** The path is swapped for one where the call fails for reasons of its own, and so is let through to the kernel. */
const race = (call: string, wanted: string, harmless: string, more = '{new}') =>
  attack(`race of a path: ${call}`, by('supervisor', 'race', call, wanted, harmless, more), files)

const unreadable = (call: string, path: string, more = '{new}') =>
  attack(`an unreadable process: ${call}`, by('supervisor', 'unreadable', call, path, more), files)

/** include/uapi/linux/sched.h */
const flags = {
  CLONE_PTRACE: 0x2000,
  CLONE_UNTRACED: 0x800000,
  CLONE_VFORK: 0x4000,
  CLONE_FS: 0x200,
} as const
const child = (name: keyof typeof flags) =>
  attack(`a child by ${name}`, by('supervisor', 'child', String(flags[name]), '{file}'), files)

/** Getting past the notifier, which answers intercepted calls (native/linux/notify/notifiers.c). */
export const supervisor: readonly Attack[] = [
  race('open', '{file}', '{directory}/none'),
  race('unlink', '{file}', '{directory}/none'),
  race('rmdir', '{empty}', '{directory}/none'),
  race('rename', '{file}', '{directory}/none'),
  race('mkdir', '{new}', '{empty}'),
  race('symlink', '{new}', '{file}'),
  race('link', '{new}', '{other}', '{file}'),
  race('truncate', '{file}', '{directory}/none'),
  onFile('race with a process'),
  onFile("race of a directory's number", ['file', '{directory}']),
  onFile('race of the working directory', ['file', '{directory}']),
  onFile('flood'),
  onFile('die asking'),
  onFile('exec asking'),
  onFile('interrupted'),
  unreadable('open', '{file}'),
  unreadable('unlink', '{file}'),
  unreadable('rename', '{file}'),
  unreadable('mkdir', '{new}'),
  unreadable('truncate', '{file}'),
  onFile('renamed'),
  onFile('no descriptor left'),
  onFile('starved'),
  child('CLONE_PTRACE'),
  child('CLONE_UNTRACED'),
  child('CLONE_VFORK'),
  child('CLONE_FS'),
]
