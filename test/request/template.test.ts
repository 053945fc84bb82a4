import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TemplateValue } from '../../src/index.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'
import { isInstalled } from '../helpers/programs.ts'

/** Words that a shell would read otherwise; each that is run makes a file. */
const values = [
  '',
  ' a  b ',
  "it's",
  '"',
  '\\',
  '$HOME',
  '*',
  '~',
  '#',
  '-n',
  'a\nb',
  '$(touch made)',
  '`touch made`',
  '; touch made',
  "'; touch made; '",
  '"; touch made; "',
  "\\'; touch made #",
  'a[$(touch made)]',
  '\nEOF\ntouch made\n',
]

/** A template as its parts. */
const template = (text: string) => {
  const raw = text.split('{}')
  return Object.assign([...raw], { raw }) as unknown as TemplateStringsArray
}

describe.runIf(process.platform !== 'win32').each(['sh', 'bash'])('a template string in %s', (program) => {
  const open = async () => {
    const cwd = makeDirectory()
    const shell = await openTestShell({ cwd, mode: 'write', program })
    const run = (text: string, ...given: readonly TemplateValue[]) => shell.$(template(text), ...given)
    return { run, isMade: () => existsSync(join(cwd, 'made')) }
  }

  it
    .skipIf(!isInstalled(program))
    .each([
      "printf '<%s>' {}",
      'printf "<%s>" {}',
      `X="$HOME \${HOME} \\" x" printf "<%s>" {}`,
      "printf '<%s>' {} 'and' \"$HOME\" >/dev/null; printf '<%s>' {}",
      "f() { printf '<%s>' \"$1\"; }; f {} # it's ended",
      'case a in a) printf "<%s>" {} ;; esac',
      'printf "<%s>" $(printf x >&2){}',
      "echo \\' >/dev/null; printf '<%s>' {}",
    ])('each value is one word of %s', async (text) => {
    const { run, isMade } = await open()
    for (const value of values) {
      const places = text.split('{}').length - 1
      const { stdout, exitCode } = await run(text, ...Array.from({ length: places }, () => value))
      expect({ stdout, exitCode }).toEqual({ stdout: `<${value}>`, exitCode: 0 })
    }
    expect(isMade()).toBe(false)
  })

  it
    .skipIf(!isInstalled(program))
    .each([
      'echo "{}"',
      "echo '{}'",
      'echo "$(echo {})"',
      `echo "\${x:-"{}"}"`,
      `echo \${x:-{}}`,
      'echo `echo {}`',
      "echo $'\\'' {} '",
      `echo \${}`,
      'echo \\{}',
      'echo # {}',
      'cat <<EOF\n{}\nEOF',
      "cat <<'EOF'\n{}\nEOF",
      'echo $(( {} ))',
      '(( {} ))',
      'a[{}]=1',
      'echo >&{}',
      'echo >& {}',
      'echo 2>&1{}',
    ])('no value runs, and none is cut, in %j', async (text) => {
    const { run, isMade } = await open()
    for (const value of values)
      await expect(run(text, value)).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        message: expect.stringContaining('would not stay one word'),
      })
    expect(isMade()).toBe(false)
  })

  it.skipIf(!isInstalled(program)).each([undefined, null, {}, true, [['a']], ['a', undefined]])(
    'nothing runs where a value is no word: %j',
    async (value) => {
      const { run, isMade } = await open()
      const call = run('touch made{}', value as TemplateValue)
      await expect(call).rejects.toMatchObject({ refusal: { problem: { kind: 'wrong-type' } } })
      expect(isMade()).toBe(false)
    },
  )

  it.skipIf(!isInstalled(program))(
    'a list is as many words, and text behind the last value is free',
    async () => {
      const { run } = await open()
      const { stdout } = await run("printf '<%s>' {} {} \"$((1 + 1))\" # it's free", ['a b', 2], 3)
      expect(stdout).toBe('<a b><2><3><2>')
    },
  )
})
