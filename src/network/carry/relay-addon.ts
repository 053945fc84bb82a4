/** What the addon offers to carry bytes in a thread of its own: native/linux/relay/. */
export interface RelayAddon {
  /**
   * Carries bytes between copies of two descriptors, until both directions have ended or one fails. Its id, or an errno below 0.
   * `room`: bytes that it may take before `relayMore`, for which it asks at half of them. `backOnly`: it carries them from the
   * second to the first, and ends.
   */
  relay(
    first: number,
    second: number,
    room: number,
    told: (event: 'more' | 'ended') => void,
    backOnly: boolean,
  ): number
  relayMore(id: number, bytes: number): void
  /** Must follow. Ends it, if it runs. Bytes from the first to the second, and back. */
  endRelay(id: number): { readonly there: number; readonly back: number }
}
