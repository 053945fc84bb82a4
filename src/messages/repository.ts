/** Why a file of a git repository cannot be read; each follows the path of the file. */
export const repositoryProblems = {
  notGitdirFile: 'it is not a "gitdir:" file',
  tooManyIncludes: 'it includes too many files',
  notConfiguration: 'it is not a git configuration',
  invalidName: 'it contains a name that is not valid UTF-8',
  nulInPath: 'it names a path with a NUL byte',
  invalidPath: 'it names a path that is not valid UTF-8',
  tooDeep: 'too many repositories contain each other',
} as const

/** By errno. */
export const repositoryErrors: Readonly<Record<string, string>> = {
  EINVAL: 'it is not a regular file',
  EFBIG: 'it is too large',
  EBADMSG: 'it is not a git index',
  ENOBUFS: 'it contains too much',
  ETIMEDOUT: 'its file system does not answer',
  EBUSY: 'other file systems do not answer',
}
