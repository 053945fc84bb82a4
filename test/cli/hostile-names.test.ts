import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { offersFor } from '../../src/cli/shell/offers.ts'
import { lineNotUtf8, variableNotUtf8, wordNotUtf8 } from '../../src/messages/cli/run.ts'
import { promptText } from '../../src/messages/cli/shell.ts'
import { elicitationMessage } from '../../src/messages/mcp/mcp.ts'
import { makeDirectory } from '../helpers/place.ts'
import { ended, Home, misused } from './vitrine.ts'

const directory = makeDirectory()
const title = '\u001b]0;owned\u0007'
const turned = '\u202e'
const steering = /(?!\n)[\p{Cc}\p{Cf}]/u

describe('names that a hostile workspace chooses', () => {
  it('are completed to words that sh takes for just that name, or not offered', () => {
    const names = ['~', '~root', 'é', '\u{1f600} x', '$(touch made)', '`id`', '*', "it's", 'a"b', '-n']
    const place = join(directory, 'offered')
    mkdirSync(place, { recursive: true })
    for (const name of [...names, `t${title}`, `r${turned}`, 'line\nfeed', '\u3164'])
      writeFileSync(join(place, name), '')
    writeFileSync(Buffer.concat([Buffer.from(`${place}/`), Buffer.of(0xff)]), '')
    const [offers] = offersFor('cat ', { directory: place, path: '' })
    const script = `for one in ${offers.join(' ')}; do printf '%s\\n' "$one"; done`
    const read = execFileSync('sh', ['-c', script], { cwd: place, encoding: 'utf8' })
    expect(read.split('\n').slice(0, -1).sort()).toEqual([...names].sort())
  })

  it('reach a command unchanged or not at all', async () => {
    const home = new Home()
    expect(await home.shell(`vitrine run --write -- touch "$(printf 'a\\351')"; ls`)).toMatchObject({
      stdout: '',
      stderr: misused(wordNotUtf8).stderr,
    })
    expect((await home.run(['run', '--', 'echo', '\uFFFD'])).stdout).toBe('\uFFFD\n')
  })

  it('reach a command unchanged or not at all in a variable, and in a line for the shell', async () => {
    const home = new Home()
    const variable = `vitrine run --env A="$(printf 'a\\351')" -- 'echo "$A"'`
    expect((await home.shell(variable)).stderr).toBe(misused(variableNotUtf8('A')).stderr)
    const lines = await home.shell(
      `printf 'echo \\302\\265 \\357\\277\\275\necho a\\351\necho c\n' | vitrine shell`,
    )
    expect(lines).toMatchObject({
      stdout: '\u00b5 \uFFFD\n',
      stderr: misused(lineNotUtf8, 'shell').stderr,
      code: 125,
    })
  })

  it('are told apart from missing ones where they are not UTF-8', async () => {
    const home = new Home()
    const ran = await home.shell(`mkdir "$(printf 'a\\351')"; cd a*; vitrine run -- pwd`)
    expect(ran.code).toBe(125)
    expect(ran.stderr).toContain('is not UTF-8')
  })

  it('steer no terminal where vitrine names them', async () => {
    const home = new Home()
    const inner = join(home.directory, `d${title}${turned}`)
    mkdirSync(inner)
    const ran = await home.run(['run', '--cwd', `${inner}/gone`, '--', 'true'])
    expect(ran.code).toBe(125)
    const program = await home.run(['run', '--', `./${title}`, 'x'])
    expect(program.stderr).toContain('owned')
    const shell = await home.run(['shell'], { input: `cd d*\ncd gone\nexit 300${title}\n:x${title}\n` })
    for (const { stderr } of [ran, program, shell]) expect(stderr).not.toMatch(steering)
    expect(promptText('write', inner, false)).not.toMatch(steering)
  })

  it('a cd with a comment behind it leads where sh says', async () => {
    const home = new Home()
    mkdirSync(join(home.directory, 'in'))
    const ran = await home.run(['shell'], { input: 'cd in # there\npwd\n' })
    expect(ran).toMatchObject({ stdout: `${join(home.directory, 'in')}\n`, code: 0 })
  })
})

describe.skipIf(process.platform !== 'linux')('a .git of a hostile workspace (Linux)', () => {
  it.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    [
      'a file that names a directory of FIFOs',
      (path: string) => {
        writeFileSync(path, 'gitdir: g\n')
        mkdirSync(join(path, '..', 'g'))
        for (const name of ['gitdir', 'commondir', 'config'])
          execFileSync('mkfifo', [join(path, '..', 'g', name)])
      },
    ],
  ])(
    '%s does not block',
    async (_, make) => {
      const home = new Home()
      home.configure('[shell]\nreads = "workspace"\n')
      make(join(home.directory, '.git'))
      const running = home.start(['run', '--', 'echo ran'])
      const late = setTimeout(() => running.kill('SIGKILL'), 20_000)
      expect(await ended(running)).toMatchObject({ code: 0, stdout: 'ran\n' })
      clearTimeout(late)
    },
    30_000,
  )
})

it('an MCP client sees line feeds and blanks of a command as they are', () => {
  const request = { command: 'echo a\nrm b\u3164\u00a0c \\n', cwd: `/x${turned}`, mode: 'write' } as const
  expect(elicitationMessage(request, 'why')).toBe(
    'Run this in write mode?\n  echo a\n  rm b\\u{3164}\\u{a0}c \\n\nin /x\\u{202e}\nasked because: why',
  )
})
