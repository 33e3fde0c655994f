import { expect, test } from "vitest";
import { DEFAULT_CLUSTER_NETWORK } from "../../../shared/api/cluster-network.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { defaultServiceCidr, rangesOf } from "../../../shared/api/service-cidr.ts";
import { RESOURCES } from "../../../shared/schema/index.ts";
import { object } from "../../../test/builders/objects.ts";
import { strategyFor, validateForCreate, validateForUpdate } from "./index.ts";
import { strategies } from "./registry.ts";

const resourceOf = (key: string) =>
  RESOURCES.find(({ group, resource }) => (group === "" ? resource : `${resource}.${group}`) === key);

test("a resource that has no rules gets an empty strategy", () => {
  expect(strategyFor({ group: "example.test", resource: "widgets" })).toEqual({});
});

test.each(Object.keys(strategies))("%s is a resource, and copes with an almost empty object", (key) => {
  const facts = resourceOf(key);
  if (!facts) throw new Error(`there is no resource ${key}`);
  const strategy = strategyFor(facts);
  const make = (): KubeObject => {
    const made = object(`${facts.group}/v1`, facts.kind, "a", { spec: {} }).build();
    if (facts.namespaced) made.metadata.namespace = "default";
    strategy.applyDefaults?.(made, 0);
    return made;
  };
  const created = make();
  strategy.prepareForCreate?.(created);
  strategy.allocate?.(created, undefined, {
    random: () => 0,
    taken: new Set(),
    ranges: rangesOf(defaultServiceCidr(DEFAULT_CLUSTER_NETWORK)),
    families: ["IPv4"],
    dryRun: true,
  });
  for (const cause of validateForCreate(strategy, created, facts.namespaced)) {
    expect(cause.reason).toMatch(/^(FieldValue|InternalError)/);
  }
  const updated = make();
  strategy.prepareForUpdate?.(updated, created);
  validateForUpdate(strategy, updated, created, facts.namespaced);
  expect(strategy.claims?.(updated) ?? []).toBeInstanceOf(Array);
});
