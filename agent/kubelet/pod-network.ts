import type { Pod } from "../api/index.ts";

/** Who follows which addresses pods have, and has a say before they send their first packet. */
export interface PodNetwork {
  /** What addresses a pod has now: none when its sandbox is stopped, or in the node's network. */
  follow(pod: Pod, ips: readonly string[]): void;
  /** Settles when what others must not be able to do to it, and it to them, is prevented. @throws Error why it may not start */
  ready(pod: Pod): Promise<void>;
  /** Nothing is left of it, here or in the API. */
  forget(pod: Pod): void;
}

/** Nobody follows. */
export const noPodNetwork: PodNetwork = { follow: () => {}, ready: () => Promise.resolve(), forget: () => {} };
