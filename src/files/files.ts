import * as v from 'valibot'
import { loadLate } from '../base/process.ts'
import { fieldOf, readFields } from '../request/fields.ts'
import type { RunFile, Runner } from './runner.ts'
import type {
  EditDone,
  EditRequest,
  FileOptions,
  FileText,
  Globbed,
  GlobOptions,
  GrepOptions,
  Grepped,
  Listing,
  ListOptions,
  ReadOptions,
  Written,
} from './types.ts'

/**
 * Reads and changes files as commands of this shell do: held by its mode, decided about, and told to the audit log. Paths are relative
 * to the shell's directory; `~` is a name like any other. Each throws a `VitrineError`: FILE_FAILED where it did nothing, with the
 * reason in `refusal.problem`, else as `execute`. Not on Windows.
 */
export class Files {
  readonly #run: RunFile
  #runner: Runner | undefined

  /** @internal Use `shell.files`. */
  constructor(run: RunFile) {
    this.#run = run
  }

  /** Reads a text file of at most 32 MiB. Throws FILE_FAILED, also for one that is larger or binary. */
  async read(path: string, options: ReadOptions = {}): Promise<FileText> {
    const { read, runner } = await this.#operations({ path })
    return read(runner, path, options)
  }

  /**
   * Replaces a file whole, or makes it, with the directories on its way. Bytes are written as they are. Text is written in the encoding
   * of the file that was there, with its byte order mark, and with CRLF where all its lines had that and the text has none; else in
   * UTF-8. Throws FILE_FAILED.
   */
  async write(path: string, content: string | Uint8Array, options: FileOptions = {}): Promise<Written> {
    const { write, runner } = await this.#operations({ path })
    return write(runner, path, content, options)
  }

  /**
   * Replaces text that stands in a file once; every other byte stays. Throws FILE_FAILED, also where it is not there, with the lines that
   * are most similar, where it is there more than once, and where another program changes the file meanwhile.
   */
  async edit(request: EditRequest, options: FileOptions = {}): Promise<EditDone> {
    const { edit, runner } = await this.#operations()
    return edit(runner, request, options)
  }

  /** Lists a directory, hidden entries too. Links are not followed. Throws FILE_FAILED. */
  async list(path = '.', options: ListOptions = {}): Promise<Listing> {
    const { list, runner } = await this.#operations({ path })
    return list(runner, path, options)
  }

  /**
   * Finds files by a pattern: `src/**`, `*.{ts,js}`. `.git` is left out, and in a git repository what git ignores. Throws FILE_FAILED.
   */
  async glob(pattern: string, options: GlobOptions = {}): Promise<Globbed> {
    const { glob, runner } = await this.#operations({ pattern })
    return glob(runner, pattern, options)
  }

  /**
   * Finds lines that match an extended regular expression (`grep -E`), in the files that `glob` finds, or in one. Binary files are left
   * out. The audit log has two lines of it: the search for files, and that in them. Throws FILE_FAILED.
   */
  async grep(pattern: string, options: GrepOptions = {}): Promise<Grepped> {
    const { grep, runner } = await this.#operations({ pattern })
    return grep(runner, pattern, options)
  }

  /** Imported late because most shells need none of it. Checks the argument that is no object. */
  async #operations(argument: v.InferInput<typeof argumentSchema> = {}) {
    readFields('arguments', argument, argumentSchema)
    const operations = await loadLate(() => import('./operations.ts'))
    this.#runner ??= new operations.Runner(this.#run)
    return { ...operations, runner: this.#runner }
  }
}

const argumentSchema = v.partial(v.strictObject({ path: fieldOf.string, pattern: fieldOf.string }))
