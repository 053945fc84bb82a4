/**
 * Words that mark the name of a secret. `AUTHOR`, `KEYBOARD`, `XAUTHORITY` and `TOKENIZERS_PARALLELISM` do
 * not match. docs/security/environment.md repeats this list.
 */
const secretWords = [
  'TOKEN(?!IZ)',
  'SECRET',
  'PASSWORD|PASSWD|PASSPHRASE',
  'CREDENTIAL',
  'COOKIE',
  'WEBHOOK',
  'CONNECTION_?STRING',
  'KEYS?(?![A-Z])',
  'AUTH(?!OR(?!IZ))',
  '(^|_)(PW|PASS|PAT|DSN|JWT)(_|$)',
  '_PWD$',
]
const secretName = new RegExp(secretWords.join('|'), 'i')
/** Names that hold a location or a name instead of the secret: `SSH_AUTH_SOCK`, `GIT_CONFIG_KEY_0`. */
const placeName = /_(SOCK|FILE|PATH|DIR)$|^GIT_CONFIG_KEY_\d+$/i

export function isSecretName(name: string): boolean {
  return secretName.test(name) && !placeName.test(name)
}
