#!/usr/bin/env node
import { useCompileCache } from './compile-cache.ts'

interface Command {
  /** Resolves to the exit code once everything has been written. Throws if nothing ran. */
  main(args: readonly string[]): Promise<number>
}

/** Every command; its file is imported only when the command is run. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  run: () => import('./run/run.ts'),
  shell: () => import('./shell.ts'),
  config: () => import('./config.ts'),
  docker: () => import('./docker.ts'),
  doctor: () => import('./doctor.ts'),
  policy: () => import('./policy.ts'),
  mcp: () => import('./mcp.ts'),
  scratchpad: () => import('./scratchpad.ts'),
  attach: () => import('./clients/attach.ts'),
  detach: () => import('./clients/attach.ts').then(({ detached }) => ({ main: detached })),
  sh: () => import('./clients/sh.ts'),
  hook: () => import('./clients/hook.ts'),
  ps: () => import('./background/commands.ts').then(({ ps }) => ({ main: ps })),
  logs: () => import('./background/commands.ts').then(({ logs }) => ({ main: logs })),
  stop: () => import('./background/commands.ts').then(({ stop }) => ({ main: stop })),
  'background-host': () => import('./background/host.ts'),
  completion: () => import('./completion.ts'),
}

/** The other one is for vitrine itself. */
const isForUsers = (name: string) => name !== 'background-host'

async function main([name, ...args]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(commands, name ?? '') ? commands[name ?? ''] : undefined
  const own = args.slice(0, args.includes('--') ? args.indexOf('--') : args.length)
  const runs = name && command && !own.includes('--help') && !own.includes('-h')
  useCompileCache(runs ? name : 'help', module)
  if (!runs) return (await import('./help.ts')).help(name, args, Object.keys(commands).filter(isForUsers))
  try {
    return await (await command()).main(args)
  } catch (error) {
    const { fail } = await import('./run/result.ts')
    return fail(error, { json: own.includes('--json') || own.includes('--json=full'), runs: name === 'run' })
  }
}

// Exits even if something, such as a pipe that is never closed, would keep the process alive.
main(process.argv.slice(2)).then((code) => process.exit(code))
