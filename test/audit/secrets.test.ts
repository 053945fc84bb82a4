import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { redactor } from '../../src/audit/secrets.ts'
import { words } from '../helpers/words.ts'
import { openAudited } from './place.ts'

const long = 'c0rrect-horse'

it.for(
  words(`
  GITHUB_TOKEN CLIENT_SECRET PGPASSWORD MYSQL_PASSWD AWS_SECRET_ACCESS_KEY APIKEY api_key KEY_ID NPM_AUTH
  AUTHORIZATION DB_PASS GOOGLE_CREDENTIALS SESSION_COOKIE
`),
)('the value of %s is replaced by its name', (name) => {
  expect(redactor({ [name]: long })(`curl -H 'x: ${long}' ${long}`)).toBe(`curl -H 'x: [${name}]' [${name}]`)
})

it.for(['PATH', 'GIT_AUTHOR_NAME', 'XAUTHORITY', 'KEYBOARD', 'SSH_AUTH_SOCK', 'TOKEN_FILE', 'COMPASS'])(
  'the value of %s stays',
  (name) => expect(redactor({ [name]: long })(`x ${long}`)).toBe(`x ${long}`),
)

it('a value that could be a word stays, and one of the same length that could not does not', () => {
  const redact = redactor({ A_TOKEN: 'disabled', B_TOKEN: '', C_TOKEN: 'hunter22', D_TOKEN: 'true' })
  expect(redact('disabled true hunter22')).toBe('disabled true [C_TOKEN]')
})

it('the password of a URL is hidden, whatever its variable is called', () => {
  const redact = redactor({ DATABASE: 'postgres://me:s3cr3tpw@host/db' })
  expect(redact('psql postgres://me:s3cr3tpw@host/db')).toBe('psql postgres://me:[DATABASE]@host/db')
})

it('the longer of two values is replaced first, and special letters of patterns are plain', () => {
  const redact = redactor({ A_KEY: 'a.b*c(d)$1', B_KEY: 'a.b*c(d)$1-and-more' })
  expect(redact('a.b*c(d)$1-and-more a.b*c(d)$1 axbbc')).toBe('[B_KEY] [A_KEY] axbbc')
})

it('a value with quotes is found as a shell and as a message would write it', () => {
  const secret = `it's "so" secret\n1`
  const redact = redactor({ A_KEY: secret })
  expect(redact(`'it'\\''s "so" secret\n1' ${JSON.stringify(secret)}`)).toBe(`'[A_KEY]' "[A_KEY]"`)
})

it('no line holds a secret: of the caller, of [env] set, in a path or in a reason', async () => {
  const caller = 'caller-s-secret-1'
  const own = 'set-by-config-22'
  const { shell, log, lines } = await openAudited({
    env: { MY_TOKEN: caller, UNRELATED_KEY: 'never-said-3333' },
    toml: `[env]\nset = { SET_SECRET = "${own}" }\n[policy]\ndeny = ["forbidden"]`,
  })
  await shell.execute({ command: `echo ${caller}; touch ${own}; echo $SET_SECRET` })
  await shell.execute({ argv: ['echo', `--token=${caller}`] })
  await shell.execute({ argv: [`/bin/${caller}`] }).catch(() => undefined)
  await shell.execute({ command: `forbidden ${caller}` }).catch(() => undefined)
  const text = readFileSync(log, 'utf8')
  for (const secret of [caller, own, 'never-said-3333']) expect(text).not.toContain(secret)
  expect(lines()[0]?.command).toBe('echo [MY_TOKEN]; touch [SET_SECRET]; echo $SET_SECRET')
  expect(lines()[0]?.denials[0]?.path).toBe(`${shell.cwd}/[SET_SECRET]`)
  expect(lines()[2]?.refusal?.message).toContain('/bin/[MY_TOKEN]')
  expect(lines()[3]?.outcome).toBe('refused')
})
