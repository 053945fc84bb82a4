import { type Attack, attack, by, type Choices, each } from '../../attack.ts'
import { files } from '../../targets/files.ts'

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
}
const children = Object.entries(flags).map(([name, flag]) =>
  attack(`a child by ${name}`, by('supervisor', 'child', String(flag), '{file}'), files),
)

/** Getting past the notifier, which answers intercepted calls (native/linux/notify/notifiers.c). */
export const supervisor: readonly Attack[] = [
  ...each(race, 'open | unlink | rename | truncate', '{file}', '{directory}/none'),
  race('rmdir', '{empty}', '{directory}/none'),
  race('mkdir', '{new}', '{empty}'),
  race('symlink', '{new}', '{file}'),
  race('link', '{new}', '{other}', '{file}'),
  ...each(
    onFile,
    `
    race with a process | flood | die asking | exec asking | interrupted | renamed | no descriptor left |
    starved
  `,
  ),
  onFile("race of a directory's number", ['file', '{directory}']),
  onFile('race of the working directory', ['file', '{directory}']),
  ...each(unreadable, 'open | unlink | rename | truncate', '{file}'),
  unreadable('mkdir', '{new}'),
  ...children,
]
