import { expect, it } from 'vitest'
import type { LineState } from '../../src/request/line-state.ts'
import { makeDirectory, openTestShell } from '../helpers/place.ts'

/** What a line of sh leaves to the next one. */
async function after(command: string, variables?: LineState['variables']) {
  let state: LineState | undefined
  const shell = await openTestShell({
    mode: 'write',
    cwd: makeDirectory(),
    toml: '[env]\nset = { GIVEN = "a" }\n',
  })
  const onState = (told: LineState) => {
    state = told
  }
  const { stdout, exitCode } = await shell.execute({ command }, { line: { variables, onState } })
  return { stdout, exitCode, cwd: state?.cwd, variables: state?.variables }
}

it.each([
  [`echo "it's" "don't" 'a  b'`, "it's don't a  b\n"],
  [`echo 'it'"'"'s '"$GIVEN"`, "it's a\n"],
  [`printf '%s\\n' "''" '$GIVEN' "LINE WORD CODE"`, "''\n$GIVEN\nLINE WORD CODE\n"],
])('a line runs as it is written: %s', async (line, output) => {
  expect(await after(line)).toMatchObject({ stdout: output, exitCode: 0 })
})

it('variables that a line sets, changes and unsets are told, and no others', async () => {
  expect(await after('export NEW="x=y"; export GIVEN=b')).toMatchObject({
    variables: { NEW: 'x=y', GIVEN: 'b' },
  })
  expect((await after('unset GIVEN')).variables).toEqual({ GIVEN: null })
  expect((await after('local=1')).variables).toEqual({})
})

it('a variable that is null is not there, another one is', async () => {
  const { stdout } = await after('env | grep -c ^GIVEN=; echo "$MORE"', { GIVEN: null, MORE: 'here' })
  expect(stdout).toBe('0\nhere\n')
})

it('the directory and the exit code of a line come out', async () => {
  expect(await after('cd /usr; (exit 3)')).toMatchObject({ cwd: '/usr', exitCode: 3 })
})
