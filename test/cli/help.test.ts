import { expect, it } from 'vitest'
import { grammar } from '../../src/cli/grammar.ts'
import { listsRefused } from '../network/commands/surroundings.ts'
import { Home } from './vitrine.ts'

const home = new Home()

it.each([[[]], [['--help']], [['-h']], [['help']]])('%j prints the help', async (args) => {
  const ran = await home.run(args)
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(ran.stdout).toMatch(/^vitrine: .*\n\nUsage:\n/)
})

it.each(['run', 'shell', 'policy', 'config', 'mcp', 'scratchpad', 'docker', 'doctor', 'completion'])(
  '%s --help has the usage and examples, and is what help prints',
  async (command) => {
    const ran = await home.run([command, '--help'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toMatch(new RegExp(`^vitrine ${command}: .*\n\nUsage:\n  vitrine ${command} `))
    if (command !== 'docker') expect(ran.stdout).toMatch(/^Examples:\n {2}.*vitrine /m)
    expect(await home.run(['help', command])).toEqual(ran)
  },
)

const values: Readonly<Record<string, string>> = {
  ' TIME': '10s',
  ' DIR': '/',
  ' NAME': 'kept',
  ' MODE': 'read',
  ' BACKEND': 'local',
  ' SHELL': 'sh',
  ' FILE': '/dev/null',
  ' HOST': 'a.example',
}

it('every option that the help of run shows is taken', async () => {
  const { stdout } = await home.run(['run', '--help'])
  const options = [...stdout.matchAll(/^ {2}(--[a-z-]+)( [A-Z]+)?/gm)]
  expect(options.length).toBeGreaterThan(7)
  const given = options.flatMap(([, option = '', value = '']) => {
    // --pty needs a terminal (pty.test.ts), --keep-going needs --each (each.test.ts), --background prints an id (background.test.ts)
    if (['--pty', '--keep-going', '--background', '--owner'].includes(option)) return []
    if (option === '--allow-host' && listsRefused !== null) return []
    return [value === '' ? [option] : [option, values[value] ?? '']]
  })
  // All that may stand together at once; each of the others alone.
  const alone = ['--each', '--ask', '--network', '--write', '--mode', '--merged', '--json']
  const [others, together] = [true, false].map((wanted) =>
    given.filter(([option = '']) => alone.includes(option) === wanted),
  )
  for (const words of [...(others ?? []), (together ?? []).flat()])
    expect(await home.run(['run', ...words, '--', 'exit 7']), words.join(' ')).toMatchObject({ code: 7 })
})

it('every option that mcp install takes is named, in its help and when it is misused', async () => {
  const { stdout } = await home.run(['mcp', '--help'])
  const { stderr } = await home.run(['mcp', 'install', 'emacs'])
  const help = stdout.split('\n').filter((line) => / mcp install CLIENT |^"install" takes /.test(line))
  for (const name of Object.keys(grammar.mcp.commands.install.options)) {
    expect(help.join(' ')).toMatch(new RegExp(`--${name}\\b`))
    expect(stderr).toMatch(new RegExp(`--${name}\\b`))
  }
})
