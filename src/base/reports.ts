// What a result reports of the world around a command.

/** A TCP socket on which a process of a command listened: on this machine only, at a wildcard address too. */
export interface Listening {
  /** `127.0.0.1`, `0.0.0.0`, `::1`, `::` */
  readonly address: string
  /** Its TCP port. */
  readonly port: number
  /** The process that made it listen. */
  readonly pid: number
  /** The name of that process (proc_pid_comm(5)). */
  readonly program: string
}

/** What a command newly made or changed that a program outside of the sandbox obeys, without being asked to run the project's code. */
export interface Handoff {
  /** Absolute. */
  readonly path: string
  /** What kind of program obeys it. */
  readonly kind: HandoffKind
  /** The program, or the programs. */
  readonly obeyedBy: string
}

/**
 * What a handoff is to the program. `ci`: workflows of a forge. `script`: a package.json with new scripts that an install runs. `environment`: loaded where a shell enters
 * the directory. `settings`: of another program that starts there.
 */
export type HandoffKind =
  | 'repository'
  | 'ci'
  | 'script'
  | 'environment'
  | 'editor'
  | 'agent'
  | 'hook'
  | 'container'
  | 'settings'

/** Why the proxy did not carry a connection. */
export type ConnectionReason =
  /** Neither `[shell] network` nor the call lists the host with this port. */
  | 'not-listed'
  /** `[network] deny` */
  | 'denied'
  /** The approver was asked, and did not agree. */
  | 'not-approved'
  /** The host is a private or special address, or the name leads to one, and the address itself is not listed. */
  | 'not-public'
  /** The name has no address. */
  | 'not-found'
  /** The host refused the connection, or did not answer in time. */
  | 'unreachable'
  /** The command has too many connections, or has moved too many bytes. */
  | 'too-many'

/** One connection of a command whose network is a list of hosts. */
export interface Connection {
  /** A name in ASCII and lower case, or an address. */
  readonly host: string
  /** The TCP port of the host. */
  readonly port: number
  /** Whether the proxy carried it. */
  readonly verdict: 'allowed' | 'refused'
  /** Why it was refused; absent: it was allowed. */
  readonly reason?: ConnectionReason
  /** Bytes that the command sent to the host. */
  readonly sent: number
  /** Bytes that it received. */
  readonly received: number
  /** The process that connected; absent where the system does not tell. */
  readonly pid?: number
  /** The name of that process; absent with `pid`. */
  readonly program?: string
  /** Attempts: refusals for the same reason are one record. */
  readonly count: number
}
