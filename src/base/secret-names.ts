/**
 * Words of names that say what they hold. `AUTHOR`, `KEYBOARD`, `XAUTHORITY` and `TOKENIZERS_PARALLELISM` do not. The list
 * stands in SECURITY.md, "The environment".
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
/** Names that say where it is, or how it is called: `SSH_AUTH_SOCK`, `GIT_CONFIG_KEY_0`. */
const placeName = /_(SOCK|FILE|PATH|DIR)$|^GIT_CONFIG_KEY_\d+$/i

/** Whether the name of a variable says that its value is a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !placeName.test(name)
}
