import { checkDns1123Subdomain } from "../../../../shared/api/names.ts";
import type { ResourceClaim } from "../../../../shared/api/types.ts";
import type { UserInfo } from "../../attributes.ts";
import { sameObject } from "../../object-text.ts";

type Status = NonNullable<ResourceClaim["status"]>;
type AllocatedDevice = NonNullable<Status["devices"]>[number];

const NODE_NAME_EXTRA = "authentication.kubernetes.io/node-name";

/** The drivers of devices that were added, taken away or changed, in the order of their names. */
export function changedDrivers(devices: AllocatedDevice[], before: AllocatedDevice[]): string[] {
  const key = ({ driver, pool, device, shareID = "" }: AllocatedDevice) =>
    JSON.stringify([driver, pool, device, shareID]);
  const left = new Map(before.map((device) => [key(device), device]));
  const drivers = new Set<string>();
  for (const device of devices) {
    const old = left.get(key(device));
    left.delete(key(device));
    if (!old || !sameObject(old, device)) drivers.add(device.driver);
  }
  for (const { driver } of left.values()) drivers.add(driver);
  return [...drivers].sort();
}

/** A service account's token was issued for the very node that the claim was allocated on. */
export function associatedNode({ username, extra }: UserInfo, allocation: Status["allocation"]): boolean {
  const node = nodeOfAllocation(allocation);
  const names = extra?.[NODE_NAME_EXTRA] ?? [];
  if (node === undefined || !/^system:serviceaccount:[^:]+:[^:]+$/.test(username)) return false;
  return names.length === 1 && names[0] === node && checkDns1123Subdomain(node).length === 0;
}

function nodeOfAllocation(allocation: Status["allocation"]): string | undefined {
  const terms = allocation?.nodeSelector?.nodeSelectorTerms ?? [];
  const [{ matchExpressions = [], matchFields = [] } = {}] = terms;
  const [field] = matchFields;
  const isOne = terms.length === 1 && matchExpressions.length === 0 && matchFields.length === 1;
  if (!isOne || field?.key !== "metadata.name" || field.operator !== "In" || field.values?.length !== 1)
    return undefined;
  return field.values[0];
}
