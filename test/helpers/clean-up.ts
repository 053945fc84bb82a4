type CleanUp = () => void | Promise<void>

const registered: CleanUp[] = []

/** Calls it after the last test of the file; the last one registered comes first. */
export function afterFile(cleanUp: CleanUp): void {
  registered.push(cleanUp)
}

/** Called by test/each-file.ts. Files share a process: a hook of a helper module would count for the first file only. */
export async function cleanUp(): Promise<void> {
  for (let next = registered.pop(); next; next = registered.pop()) await next()
}
