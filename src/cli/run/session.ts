import { loadSessionFile, type Session, type Shell } from '../../internal.ts'

/** Runs commands of a session that other processes go on with. */
export async function inSession<T>(
  shell: Shell,
  name: string,
  run: (session: Session) => Promise<T>,
): Promise<T> {
  const { SessionFile } = await loadSessionFile()
  const file = await SessionFile.open(name, process.env)
  try {
    const session = shell.session(file.state)
    try {
      return await run(session)
    } finally {
      file.save(session.state)
    }
  } finally {
    file.close()
  }
}
