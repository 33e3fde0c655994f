import { balancerIps } from "../../../shared/api/load-balancer.ts";
import type { Service } from "../../../shared/api/types.ts";
import type { Holding } from "./holding.ts";

/**
 * What was given and is not seen in the cache yet; also what was to be given and may or may not have been written, when the
 * answer was lost. In both cases nobody else may be given it.
 */
export class Reservations {
  readonly #byKey = new Map<string, { uid: string | undefined; holding: Holding }>();

  /** Before the write. */
  reserve(uid: string | undefined, holding: Holding): void {
    this.#byKey.set(holding.key, { uid, holding });
  }

  drop(key: string): void {
    this.#byKey.delete(key);
  }

  /** The cache has told of a Service; undefined: that it is gone. */
  saw(key: string, service: Service | undefined): void {
    const reserved = this.#byKey.get(key);
    if (!reserved) return;
    const isShown =
      service?.metadata.uid === reserved.uid && balancerIps(service!).join() === reserved.holding.ips.join();
    if (!service || service.metadata.uid !== reserved.uid || isShown) this.#byKey.delete(key);
  }

  of(service: Service): readonly string[] | undefined {
    const reserved = this.#byKey.get(`${service.metadata.namespace}/${service.metadata.name}`);
    return reserved?.uid === service.metadata.uid ? reserved?.holding.ips : undefined;
  }

  list(): Holding[] {
    return [...this.#byKey.values()].map(({ holding }) => holding);
  }
}
