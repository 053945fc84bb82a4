import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { questionText } from '../../src/mcp/questions.ts'
import { ended, Home } from './vitrine.ts'

const title = '\u001b]0;owned\u0007'
const turned = '\u202e'
const steering = /(?!\n)[\p{Cc}\p{Cf}]/u

describe('names that a hostile workspace chooses', () => {
  it.each([
    [`run --write -- touch "$(printf 'a\\351')"; ls`, 'A word of the command is not UTF-8'],
    [`run --env A="$(printf 'a\\351')" -- 'echo "$A"'`, 'The value of A (--env) is not UTF-8'],
    [`--version > version; mkdir "$(printf 'a\\351')"; cd a*; vitrine run -- pwd`, 'is not UTF-8'],
  ])('that are not UTF-8 reach no command: %j', async (line, told) => {
    const ran = await new Home().shell(`vitrine ${line}`)
    expect(ran).toMatchObject({ stdout: '', stderr: expect.stringContaining(told) })
  })

  it('reach a command unchanged where they look like that', async () => {
    expect((await new Home().run(['run', '--', 'echo', '\uFFFD'])).stdout).toBe('\uFFFD\n')
  })

  it('steer no terminal where vitrine names them', async () => {
    const home = new Home()
    const inner = join(home.directory, `d${title}${turned}`)
    mkdirSync(inner)
    const ran = await home.run(['run', '--cwd', `${inner}/gone`, '--', 'true'])
    expect(ran.code).toBe(125)
    const program = await home.run(['run', '--', `./${title}`, 'x'])
    expect(program.stderr).toContain('owned')
    for (const { stderr } of [ran, program]) expect(stderr).not.toMatch(steering)
  })
})

describe.skipIf(process.platform !== 'linux')('a .git of a hostile workspace (Linux)', () => {
  const makeFifos = (path: string) => {
    writeFileSync(path, 'gitdir: g\n')
    const beside = join(path, '..', 'g')
    mkdirSync(beside)
    execFileSync('mkfifo', ['gitdir', 'commondir', 'config'], { cwd: beside })
  }

  it.each([
    ['a FIFO', (path: string) => execFileSync('mkfifo', [path])],
    ['a device', (path: string) => symlinkSync('/dev/zero', path)],
    ['a file that names a directory of FIFOs', makeFifos],
  ])('%s does not block', async (_, make) => {
    const home = new Home()
    home.configure('[shell]\nreads = "workspace"\n')
    make(join(home.directory, '.git'))
    const running = home.start(['run', '--', 'echo ran'])
    const late = setTimeout(() => running.kill('SIGKILL'), 20_000)
    expect(await ended(running)).toMatchObject({ code: 0, stdout: 'ran\n' })
    clearTimeout(late)
  })
})

it('an MCP client sees line feeds and blanks of a command as they are', () => {
  const request = { command: 'echo a\nrm b\u3164\u00a0c \\n', cwd: `/x${turned}`, mode: 'write' } as const
  expect(questionText(request, ['why'])).toBe(
    'Run this in write mode?\n  echo a\n  rm b\\u{3164}\\u{a0}c \\n\nin /x\\u{202e}\nasked because: why',
  )
})
