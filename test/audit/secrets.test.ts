import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { redactor } from '../../src/audit/secrets.ts'
import { words } from '../helpers/words.ts'
import { openAudited } from './place.ts'

const long = 'c0rrect-horse'
const hidden = words(`
  GITHUB_TOKEN CLIENT_SECRET PGPASSWORD MYSQL_PASSWD AWS_SECRET_ACCESS_KEY APIKEY api_key KEY_ID NPM_AUTH
  AUTHORIZATION DB_PASS GOOGLE_CREDENTIALS SESSION_COOKIE
`)
const shown = words('PATH GIT_AUTHOR_NAME XAUTHORITY KEYBOARD SSH_AUTH_SOCK TOKEN_FILE COMPASS')
const likeWords = { A_TOKEN: 'disabled', B_TOKEN: '', C_TOKEN: 'hunter22', D_TOKEN: 'true' }
const patterns = { A_KEY: 'a.b*c(d)$1', B_KEY: 'a.b*c(d)$1-and-more' }
const quoted = `it's "so" secret\n1`
const url = { DATABASE: 'postgres://me:s3cr3tpw@host/db' }

type Row = readonly [what: string, env: Record<string, string>, text: string, redacted: string]
const rows: readonly Row[] = [
  ...hidden.map((name): Row => [name, { [name]: long }, `'x: ${long}' ${long}`, `'x: [${name}]' [${name}]`]),
  ...shown.map((name): Row => [`${name}, which stays`, { [name]: long }, `x ${long}`, `x ${long}`]),
  ['what could be a word, which stays', likeWords, 'disabled true hunter22', 'disabled true [C_TOKEN]'],
  ['the password of a URL', url, `psql ${url.DATABASE}`, 'psql postgres://me:[DATABASE]@host/db'],
  ['the longer one first', patterns, `${patterns.B_KEY} ${patterns.A_KEY} axbbc`, '[B_KEY] [A_KEY] axbbc'],
  ['quotes, as a shell writes them', { A_KEY: quoted }, `'it'\\''s "so" secret\n1'`, `'[A_KEY]'`],
  ['quotes, as a message writes them', { A_KEY: quoted }, JSON.stringify(quoted), '"[A_KEY]"'],
]

it.each(rows)('the name of a variable stands for its value: %s', (_, env, text, redacted) => {
  expect(redactor(env)(text)).toBe(redacted)
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
