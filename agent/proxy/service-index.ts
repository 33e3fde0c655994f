import { serviceKeyOf } from "../../shared/api/endpoint-slice.ts";
import type { EndpointSlice } from "../../shared/api/types.ts";
import type { Informer } from "../informer/index.ts";

/** Which slices are of which Service, kept as they change: no look at all of them for one. */
export interface ServiceIndex {
  slicesOf(service: string): EndpointSlice[];
  /** Takes in slices that changed. @returns the Services that they are of, or were */
  update(keys: Iterable<string>): Set<string>;
}

export function createServiceIndex(slices: Pick<Informer<EndpointSlice>, "get">): ServiceIndex {
  const serviceOf = new Map<string, string>();
  const slicesOf = new Map<string, readonly string[]>();
  return {
    slicesOf: (service) =>
      (slicesOf.get(service) ?? []).map((key) => slices.get(key)).filter((slice) => slice !== undefined),
    update(keys) {
      const touched = new Set<string>();
      for (const key of keys) {
        const before = serviceOf.get(key);
        const after = serviceKeyOf(slices.get(key));
        if (before !== undefined) touched.add(before);
        if (after !== undefined) touched.add(after);
        if (before === after) continue;
        if (before !== undefined) {
          const rest = (slicesOf.get(before) ?? []).filter((each) => each !== key);
          if (rest.length === 0) slicesOf.delete(before);
          else slicesOf.set(before, rest);
          serviceOf.delete(key);
        }
        if (after === undefined) continue;
        serviceOf.set(key, after);
        slicesOf.set(after, [...(slicesOf.get(after) ?? []), key]);
      }
      return touched;
    },
  };
}
