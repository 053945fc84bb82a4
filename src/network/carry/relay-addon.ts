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
  /** To be called once for each id; ends the relay if it runs. `there`: bytes from the first to the second. */
  endRelay(id: number): { readonly there: number; readonly back: number }
}
