import type { KubeObject } from "../../shared/api/object.ts";
import { IP_ADDRESSES } from "../../shared/api/refs.ts";
import { conflict } from "../../shared/api/status.ts";
import type { IPAddress } from "../../shared/api/types.ts";
import type { WriteResult } from "../storage/interface.ts";
import { ClaimHeld } from "./claim-held.ts";
import { clusterWriter } from "./cluster-writer.ts";
import { groupResourceOf, type ResourceRequest } from "./resource-request.ts";
import { storageOf } from "./stores.ts";
import { isEqual } from "./strategy/equality.ts";
import { strategyFor } from "./strategy/index.ts";

/**
 * Writes an object between taking the addresses that are new to it and letting go those that it no longer has. Each is
 * an IPAddress, by whose name nobody else can have it, Gateways of other makers included (KEP-1880). What a crash in
 * between leaves behind, the service-ip-repair controller puts right.
 * @param before undefined: it is created
 * @param after undefined: it is removed
 * @throws ClaimHeld another object has an address
 */
export async function withAddresses(
  request: ResourceRequest,
  { before, after }: { before?: KubeObject; after?: KubeObject },
  write: () => Promise<WriteResult>,
): Promise<WriteResult> {
  const { ipAddresses } = strategyFor(storageOf(request.facts));
  if (!ipAddresses) return write();
  const { context } = request;
  const writer = clusterWriter(context.env, context.cluster);
  const had = before ? ipAddresses(before) : [];
  const has = after ? ipAddresses(after) : [];
  const taken: KubeObject[] = [];
  const release = async (addresses: KubeObject[]) => {
    for (const address of addresses) {
      const isOurs = (found: KubeObject) => isEqual(parentOf(found), parentOf(address));
      await writer.remove(IP_ADDRESSES, address.metadata.name, isOurs).catch((error: unknown) => {
        // What was written is written, and its answer is due.
        console.error("an address is not let go; the repair will", { address: address.metadata.name, error });
      });
    }
  };
  for (const address of without(has, had)) {
    if (await writer.create(IP_ADDRESSES, address)) taken.push(address);
    else {
      await release(taken);
      const { name } = address.metadata;
      const why = `the address ${name} is held by another object`;
      throw new ClaimHeld(`ip/${name}`, conflict(groupResourceOf(request), after?.metadata.name ?? "", why).status);
    }
  }
  // When this throws nobody knows what was written: the repair will.
  const result = await write();
  await release(result.ok ? without(had, has) : taken);
  return result;
}

const parentOf = (ipAddress: KubeObject) => (ipAddress as IPAddress).spec?.parentRef;

const without = (objects: KubeObject[], others: KubeObject[]): KubeObject[] =>
  objects.filter(({ metadata }) => !others.some((other) => other.metadata.name === metadata.name));
