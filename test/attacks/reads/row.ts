import type { Need } from '../attack.ts'

/** What stands in every file that is kept. */
export const marker = 'vitrine-kept-content'

/** Where one attempt is made: fresh, and the attempt's own. */
export interface Place {
  readonly directory: string
  /** `kept/file`: holds the marker, and is kept with the whole directory. */
  readonly file: string
  /** A program of test/fixtures/attack/reads.c. */
  readonly program: string
}

/** What an attempt needs beside the kept directory. */
export interface Scene {
  /** Kept as well. */
  readonly unreadable?: readonly string[]
  /** Every run gets a private TMPDIR. */
  readonly privateTmp?: boolean
  /** Where the command runs; default: the place's directory. */
  readonly cwd?: string
  readonly argv: readonly string[]
  /** Done outside, once the command has printed something. */
  meanwhile?(): void
  end?(): void | Promise<void>
}

/** One attempt to read what is kept. It leaks when the marker comes out. */
export interface ReadAttack {
  readonly name: string
  arrange(place: Place): Scene | Promise<Scene>
  /** How the attempt is shown to be a real one: in read mode without the setting, or in write mode. */
  readonly control: 'without the setting' | 'write mode'
  readonly needs: readonly Need[]
}

/** One row of the table. */
export function reading(
  name: string,
  arrange: ReadAttack['arrange'],
  choices: Partial<Pick<ReadAttack, 'control' | 'needs'>> = {},
): ReadAttack {
  return { name, arrange, control: 'without the setting', needs: [], ...choices }
}
