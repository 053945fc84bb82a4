/** A stream, three zeros, the length in big-endian, then so many bytes (API reference, "Attach to a container"). */
const headBytes = 8

/** Splits a stream of frames: `take` gets every frame, once it is whole. */
export function splitFrames<Name>(
  names: readonly Name[],
  take: (stream: Name, bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= headBytes) {
      const end = headBytes + frameLength(rest)
      if (rest.length < end) return
      const name = names[rest[0] ?? 0]
      if (name !== undefined) take(name, rest.subarray(headBytes, end))
      rest = rest.subarray(end)
    }
  }
}

export type FrameStream = 'stdout' | 'stderr'

/** Of an engine, by number; 0 is the echo of stdin. */
const engineStreams: readonly FrameStream[] = ['stdout', 'stdout', 'stderr']

export function engineFrames(take: (stream: FrameStream, bytes: Buffer) => void) {
  return splitFrames(engineStreams, take)
}

export function frameOf(stream: number, bytes: Uint8Array): Buffer {
  const head = Buffer.alloc(headBytes)
  head[0] = stream
  head.writeUInt32BE(bytes.length, 4)
  return Buffer.concat([head, bytes])
}

/** Reads one frame with a function that reads exactly so many bytes. */
export function readFrame(read: (length: number) => Buffer): Buffer {
  return read(frameLength(read(headBytes)))
}

function frameLength(head: Buffer): number {
  return head.readUInt32BE(4)
}
