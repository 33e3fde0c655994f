import type { NodeSelectorRequirement, ResourceClaim } from "../../../shared/api/types.ts";
import type { Allocation } from "./devices.ts";
import { nameOf } from "./requests.ts";
import type { ChosenDevice } from "./search.ts";

type Configuration = NonNullable<NonNullable<Allocation["devices"]>["config"]>[number];

/** What is written into a claim's status for the devices that were chosen for it on a node. */
export function allocationOf(claim: ResourceClaim, chosen: readonly ChosenDevice[], node: string): Allocation {
  const config = [...classConfigurations(chosen), ...claimConfigurations(claim, chosen)];
  const nodeSelector = nodeSelectorOf(chosen, node);
  return {
    devices: {
      results: chosen.map(({ wanted, driver, pool, device }) => ({
        request: nameOf(wanted),
        driver,
        pool: pool.name,
        device: device.name,
        ...(wanted.adminAccess ? { adminAccess: true } : {}),
        ...(wanted.tolerations.length > 0 ? { tolerations: wanted.tolerations } : {}),
      })),
      ...(config.length > 0 ? { config } : {}),
    },
    ...(nodeSelector ? { nodeSelector } : {}),
  };
}

/** Each class's once, for all requests of the class. */
function classConfigurations(chosen: readonly ChosenDevice[]): Configuration[] {
  const byClass = Map.groupBy(
    chosen.map(({ wanted }) => wanted),
    ({ deviceClass }) => deviceClass.metadata.name,
  );
  return [...byClass.values()].flatMap((wanted) =>
    (wanted[0]!.deviceClass.spec.config ?? []).map((configuration) => ({
      ...configuration,
      source: "FromClass",
      requests: [...new Set(wanted.map(nameOf))],
    })),
  );
}

/** Those for all requests, for one, or for the alternative that was taken. */
function claimConfigurations({ spec }: ResourceClaim, chosen: readonly ChosenDevice[]): Configuration[] {
  const names = new Set(chosen.flatMap(({ wanted }) => [wanted.request, nameOf(wanted)]));
  return (spec.devices?.config ?? [])
    .filter(({ requests = [] }) => requests.length === 0 || requests.some((name) => names.has(name)))
    .map((configuration) => ({ ...configuration, source: "FromClaim" }));
}

/** Where the devices can be used; undefined: anywhere. */
function nodeSelectorOf(chosen: readonly ChosenDevice[], node: string): Allocation["nodeSelector"] {
  const expressions: NodeSelectorRequirement[] = [];
  const fields: NodeSelectorRequirement[] = [];
  for (const { slice, device } of chosen) {
    const { nodeName, nodeSelector } = slice.spec.perDeviceNodeSelection ? device : slice.spec;
    if (nodeName || device.bindsToNode) {
      const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
      return { nodeSelectorTerms: [{ matchFields }] };
    }
    for (const term of nodeSelector?.nodeSelectorTerms ?? []) {
      addMissing(expressions, term.matchExpressions);
      addMissing(fields, term.matchFields);
    }
  }
  if (expressions.length + fields.length === 0) return undefined;
  return {
    nodeSelectorTerms: [
      {
        ...(expressions.length > 0 ? { matchExpressions: expressions } : {}),
        ...(fields.length > 0 ? { matchFields: fields } : {}),
      },
    ],
  };
}

function addMissing(to: NodeSelectorRequirement[], from: readonly NodeSelectorRequirement[] = []): void {
  const textOf = ({ key, operator, values = [] }: NodeSelectorRequirement) =>
    JSON.stringify([key, operator, values.toSorted()]);
  for (const requirement of from) {
    if (!to.some((other) => textOf(other) === textOf(requirement))) to.push(requirement);
  }
}
