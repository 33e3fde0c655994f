import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../../shared/api/json.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { ApiError } from "../../../shared/api/status.ts";
import { resolve, schemaOf } from "../../../shared/schema/index.ts";
import { rolls } from "../../../test/builders/effort.ts";
import { fieldsOfConfig } from "./applied-config.ts";
import { difference, equalSets, type FieldSet, hasPath, parseFieldsV1, pathsOf } from "./field-set.ts";
import { trackApply, trackUpdate } from "./index.ts";
import { NEVER_OWNED } from "./ownership.ts";

/*
 * What holds after any history of applies and updates by several managers, over a pod's struct, keyed lists (by one key,
 * by two with a default), set, atomic lists and maps. The seed is fixed: a failure repeats.
 */

const { seed, times: numRuns } = rolls(inject("effort"), { seed: 20260, times: 150 });
const RUNS = { seed, numRuns };
const POD = "io.k8s.api.core.v1.Pod";
const MANAGERS = ["a", "b", "c"];

const few = (...values: string[]) => fc.constantFrom(...values);
/** Some of the fields; undefined ones are left out. */
const some = (fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<JsonObject> =>
  fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
const keyed = (key: string, keys: fc.Arbitrary<Json>, fields: Record<string, fc.Arbitrary<Json>>) =>
  fc.uniqueArray(
    fc.tuple(keys, some(fields)).map(([value, rest]): JsonObject => ({ [key]: value, ...rest })),
    { selector: (item) => JSON.stringify(item[key]), minLength: 1, maxLength: 3 },
  );
const text = few("1", "2", "3");
const map = fc.dictionary(few("x", "y", "z"), text, { minKeys: 1, maxKeys: 3 }) as fc.Arbitrary<Json>;

const ports = fc.uniqueArray(
  some({ protocol: few("TCP", "UDP"), name: text }).chain((rest) =>
    fc.constantFrom(80, 81).map((containerPort): JsonObject => ({ containerPort, ...rest })),
  ),
  { selector: ({ containerPort, protocol }) => `${containerPort}/${protocol ?? "TCP"}`, minLength: 1, maxLength: 3 },
);
const containers = keyed("name", few("m", "n"), {
  image: text,
  args: fc.array(text, { minLength: 1, maxLength: 2 }),
  ports,
  env: keyed("name", few("E", "F"), { value: text }),
});
const metadata = some({
  labels: map,
  finalizers: fc.uniqueArray(few("example.com/a", "example.com/b"), { minLength: 1 }),
});
const spec = some({
  containers,
  nodeSelector: map,
  tolerations: fc.array(fc.record({ key: text }), { minLength: 1, maxLength: 2 }) as fc.Arbitrary<Json>,
  hostAliases: keyed("ip", few("192.0.2.1", "192.0.2.2"), {
    hostnames: fc.array(text, { minLength: 1, maxLength: 2 }),
  }),
  hostname: text,
});
/** What a manager applies or writes. */
const wanted = fc
  .record({ metadata, spec }, { requiredKeys: ["metadata"] })
  .map((rest): JsonObject => ({ apiVersion: "v1", kind: "Pod", ...rest, metadata: { ...rest.metadata, name: "p" } }));

type Step = { manager: string; config: JsonObject; force: boolean; does: "apply" | "update" };
const step: fc.Arbitrary<Step> = fc.record({
  manager: fc.constantFrom(...MANAGERS),
  config: wanted,
  force: fc.boolean(),
  does: fc.constantFrom("apply", "apply", "apply", "update"),
});
const history = fc.array(step, { minLength: 1, maxLength: 6 });

const common = { schema: schemaOf(POD), schemaName: POD, resolve, apiVersion: "v1" };
let nowMs = 0;

const apply = (live: KubeObject | undefined, manager: string, config: JsonObject, force = true): KubeObject => {
  nowMs += 1000;
  const applied = trackApply({ ...common, live, config: structuredClone(config), manager, kind: "Pod", force, nowMs });
  return withoutNothing(applied) as unknown as KubeObject;
};

function update(live: KubeObject | undefined, manager: string, config: JsonObject): KubeObject {
  nowMs += 1000;
  const after = structuredClone(config) as unknown as KubeObject;
  after.metadata.managedFields = live?.metadata.managedFields;
  after.metadata.managedFields = trackUpdate({ ...common, before: live, after, manager, nowMs });
  return after;
}

/** What decoding does next: a null, an empty map or list of the schema's is not there. */
function withoutNothing(object: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(object, (_key, value) => (value === null ? undefined : value))) as JsonObject;
}

const run = (steps: Step[]): KubeObject | undefined =>
  steps.reduce<KubeObject | undefined>((live, { manager, config, force, does }) => {
    if (does === "update") return update(live, `updater-${manager}`, config);
    try {
      return apply(live, manager, config, force);
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 409) return live;
      throw error;
    }
  }, undefined);

const setOf = (object: KubeObject | undefined, manager: string): FieldSet =>
  parseFieldsV1(
    (object?.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1 ?? {}) as JsonObject,
  );
const named = (config: JsonObject): FieldSet => difference(fieldsOfConfig(config, common.schema, resolve), NEVER_OWNED);
const without = ({ metadata: { managedFields: _managedFields, ...meta }, ...rest }: KubeObject): unknown => ({
  ...rest,
  metadata: meta,
});
const paths = (set: FieldSet): string[] => [...pathsOf(set)].map((path) => path.join(" "));
/** Every path of the object that somebody could own. */
const present = (object: KubeObject): FieldSet => named(without(object) as JsonObject);

describe("after any history", () => {
  it("applying again changes nothing, not even a time", () =>
    fc.assert(
      fc.property(history, wanted, (steps, config) => {
        const once = apply(run(steps), "a", config);
        expect(apply(once, "a", config, false)).toEqual(once);
      }),
      RUNS,
    ));

  it("who applied last owns what was applied, and nothing else", () =>
    fc.assert(
      fc.property(history, wanted, (steps, config) => {
        const object = apply(run(steps), "a", config);
        expect(paths(setOf(object, "a"))).toEqual(paths(named(config)));
        expect(equalSets(setOf(object, "a"), named(config))).toBe(true);
      }),
      RUNS,
    ));

  it("what was applied is in the object", () =>
    fc.assert(
      fc.property(history, wanted, (steps, config) => {
        expect(holds(without(apply(run(steps), "a", config)) as Json, config)).toBe(true);
      }),
      RUNS,
    ));

  it("nobody owns what is not there", () =>
    fc.assert(
      fc.property(history, (steps) => {
        const object = run(steps)!;
        const there = present(object);
        for (const { manager } of object.metadata.managedFields ?? []) {
          for (const path of pathsOf(setOf(object, manager!))) {
            // A struct or a list on the way is owned by whoever updates it; it is there while something is in it.
            const isThere = hasPath(there, path) || hasBelow(there, path);
            expect([manager, path.join(" "), isThere]).toEqual([manager, path.join(" "), true]);
          }
        }
      }),
      RUNS,
    ));

  // Who has applied before may take: an item of a list that it lets go goes with all that others have put into it.
  it("a newcomer's apply without force takes nothing from anybody", () =>
    fc.assert(
      fc.property(history, wanted, (steps, config) => {
        const live = run(steps);
        let object: KubeObject;
        try {
          object = apply(live, "newcomer", config, false);
        } catch (error) {
          if (error instanceof ApiError && error.status.code === 409) return;
          throw error;
        }
        for (const { manager } of live?.metadata.managedFields ?? []) {
          expect(paths(setOf(object, manager!))).toEqual(paths(setOf(live, manager!)));
        }
      }),
      RUNS,
    ));

  it("a refused apply names only fields of others that it would change", () =>
    fc.assert(
      fc.property(history, wanted, (steps, config) => {
        const live = run(steps);
        try {
          apply(live, "a", config, false);
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          expect(error.status.details?.causes?.length).toBeGreaterThan(0);
          const forced = apply(live, "a", config);
          expect(without(forced)).not.toEqual(without(live!));
        }
      }),
      RUNS,
    ));
});

describe("with appliers alone", () => {
  const applies = history.map((steps) => steps.map((s): Step => ({ ...s, force: true, does: "apply" })));
  const nothing = { apiVersion: "v1", kind: "Pod", metadata: { name: "p" } };

  it("when the last owner lets go, the field goes", () =>
    fc.assert(
      fc.property(applies, fc.shuffledSubarray(MANAGERS, { minLength: MANAGERS.length }), (steps, order) => {
        const object = order.reduce<KubeObject | undefined>(
          (live, manager) => apply(live, manager, nothing),
          run(steps),
        );
        expect(object?.metadata.managedFields ?? []).toEqual([]);
        expect(paths(present(withoutEmpty(object!)))).toEqual([]);
      }),
      RUNS,
    ));

  it("every field is somebody's", () =>
    fc.assert(
      fc.property(applies, (steps) => {
        const object = run(steps)!;
        const owned = MANAGERS.map((manager) => setOf(object, manager));
        for (const path of pathsOf(present(withoutEmpty(object)))) {
          expect([path.join(" "), owned.some((set) => hasPath(set, path) || hasBelow(set, path))]).toEqual([
            path.join(" "),
            true,
          ]);
        }
      }),
      RUNS,
    ));

  it("the order of managers that want different things does not matter for who owns what", () =>
    fc.assert(
      fc.property(wanted, (config) => {
        const together = apply(apply(undefined, "a", config), "b", config, false);
        const turned = apply(apply(undefined, "b", config), "a", config, false);
        expect(without(together)).toEqual(without(turned));
        for (const manager of ["a", "b"])
          expect(paths(setOf(together, manager))).toEqual(paths(setOf(turned, manager)));
      }),
      RUNS,
    ));
});

/** Whether something deeper than the path is in the set. */
function hasBelow(set: FieldSet, path: readonly string[]): boolean {
  let at: FieldSet | undefined = set;
  for (const element of path) at = at?.children.get(element);
  return at !== undefined && at.children.size > 0;
}

/** Whether all of `part` is in `whole`; items of lists are looked for anywhere. */
function holds(whole: Json | undefined, part: Json): boolean {
  if (Array.isArray(part))
    return Array.isArray(whole) && part.every((item) => whole.some((other) => holds(other, item)));
  if (!isJsonObject(part)) return whole === part;
  return isJsonObject(whole) && Object.entries(part).every(([key, value]) => holds(whole[key], value));
}

/** Without the maps and lists that have been emptied; they are nobody's. */
function withoutEmpty(object: KubeObject): KubeObject {
  const strip = (value: Json): Json | undefined => {
    if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => strip(item) ?? {});
    if (!isJsonObject(value)) return value;
    const kept = Object.entries(value).flatMap(([key, member]) => {
      const left = strip(member);
      return left === undefined ? [] : [[key, left] as const];
    });
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return strip(object as unknown as Json) as unknown as KubeObject;
}
