import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../api/json.ts";
import { decodeObject, keepRepeatedKeys, lastOfRepeated } from "./index.ts";

/*
 * A key that an object's text sets again is read on into what the field holds by then, as Go's encoding/json does: a
 * struct or a map keeps its other members, an item of a list those that the new one leaves out, null empties what can
 * be empty and says nothing to what cannot.
 */

const CONFIG_MAP = "io.k8s.api.core.v1.ConfigMap";
const POD_SPEC = "io.k8s.api.core.v1.PodSpec";

const decode = (schema: string, text: string) => {
  const value = keepRepeatedKeys(text, JSON.parse(text) as Json);
  return decodeObject(schema, value, "Warn");
};

describe("a repeated key", () => {
  it.each<{ name: string; schema: string; text: string; want: JsonObject; told: string }>([
    {
      name: "of a map's value: the last counts",
      schema: CONFIG_MAP,
      text: '{"data":{"x":"1","x":"2"}}',
      want: { data: { x: "2" } },
      told: "data.x",
    },
    {
      name: "of a map: merged",
      schema: CONFIG_MAP,
      text: '{"data":{"x":"1"},"data":{"y":"2"}}',
      want: { data: { x: "1", y: "2" } },
      told: "data",
    },
    {
      name: "of a map, the last empty: what was there stays",
      schema: CONFIG_MAP,
      text: '{"data":{"x":"1"},"data":{}}',
      want: { data: { x: "1" } },
      told: "data",
    },
    {
      name: "of a map, the last null: gone",
      schema: CONFIG_MAP,
      text: '{"data":{"x":"1"},"data":null}',
      want: {},
      told: "data",
    },
    {
      name: "of a map, null between: what came before is gone",
      schema: CONFIG_MAP,
      text: '{"data":{"x":"1"},"data":null,"data":{"y":"2"}}',
      want: { data: { y: "2" } },
      told: "data",
    },
    {
      name: "of a pointer, the last null: gone",
      schema: CONFIG_MAP,
      text: '{"immutable":true,"immutable":null}',
      want: {},
      told: "immutable",
    },
    {
      name: "of a struct: merged to any depth",
      schema: CONFIG_MAP,
      text: '{"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"labels":{"y":"2"}}}',
      want: { metadata: { name: "a", labels: { x: "1", y: "2" } } },
      told: "metadata",
    },
    {
      name: "of a struct, null: says nothing",
      schema: CONFIG_MAP,
      text: '{"metadata":{"name":"a"},"metadata":null}',
      want: { metadata: { name: "a" } },
      told: "metadata",
    },
    {
      name: "of a struct behind a pointer, null: gone",
      schema: POD_SPEC,
      text: '{"securityContext":{"runAsUser":1},"securityContext":null}',
      want: {},
      told: "securityContext",
    },
    {
      name: "of a struct behind a pointer: merged",
      schema: POD_SPEC,
      text: '{"securityContext":{"runAsUser":1},"securityContext":{"runAsGroup":2}}',
      want: { securityContext: { runAsUser: 1, runAsGroup: 2 } },
      told: "securityContext",
    },
    {
      name: "of a text, null: says nothing",
      schema: POD_SPEC,
      text: '{"dnsPolicy":"None","dnsPolicy":null}',
      want: { dnsPolicy: "None" },
      told: "dnsPolicy",
    },
    {
      name: "of a boolean, null: says nothing",
      schema: POD_SPEC,
      text: '{"hostNetwork":true,"hostNetwork":null}',
      want: { hostNetwork: true },
      told: "hostNetwork",
    },
    {
      name: "of a list of scalars: the last counts",
      schema: CONFIG_MAP,
      text: '{"metadata":{"finalizers":["x","y"],"finalizers":["z"]}}',
      want: { metadata: { finalizers: ["z"] } },
      told: "metadata.finalizers",
    },
    {
      name: "of a list of objects: item merges with item",
      schema: POD_SPEC,
      text: '{"containers":[{"name":"m","image":"i"}],"containers":[{"image":"j"}]}',
      want: { containers: [{ name: "m", image: "j" }] },
      told: "containers",
    },
    {
      name: "of a list of objects: a longer one goes on",
      schema: POD_SPEC,
      text: '{"containers":[{"name":"m","image":"i"}],"containers":[{"image":"j"},{"name":"n"}]}',
      want: { containers: [{ name: "m", image: "j" }, { name: "n" }] },
      told: "containers",
    },
    {
      name: "of a list of objects: a shorter one cuts off",
      schema: POD_SPEC,
      text: '{"containers":[{"name":"a"},{"name":"b","image":"i"}],"containers":[{"name":"m"}]}',
      want: { containers: [{ name: "m" }] },
      told: "containers",
    },
    {
      name: "deep in an item's list",
      schema: POD_SPEC,
      text: '{"containers":[{"ports":[{"containerPort":1,"name":"a"}],"ports":[{"containerPort":2}]}]}',
      want: { containers: [{ ports: [{ containerPort: 2, name: "a" }] }] },
      told: "containers[0].ports",
    },
    {
      name: "of quantities",
      schema: POD_SPEC,
      text: '{"containers":[{"resources":{"limits":{"cpu":"1"}},"resources":{"limits":{"memory":"1"}}}]}',
      want: { containers: [{ resources: { limits: { cpu: "1", memory: "1" } } }] },
      told: "containers[0].resources",
    },
  ])("$name", ({ schema, text, want, told }) => {
    const { object, unknownFields } = decode(schema, text);
    expect(withoutNull(object)).toEqual(withoutNull(decode(schema, JSON.stringify(want)).object));
    expect(unknownFields).toEqual([`duplicate field "${told}"`]);
  });

  it.each([
    { text: '{"data":{"x":7},"data":{"x":"1"}}', why: "Go struct field .data of type string" },
    { text: '{"data":{"x":"1"},"data":{"x":7}}', why: "Go struct field .data of type string" },
    { text: '{"binaryData":{"x":"YQ=="},"binaryData":{"x":"?"}}', why: "illegal base64 data at input byte 0" },
  ])("is refused for any of its values: $text", ({ text, why }) =>
    expect(() => decode(CONFIG_MAP, text)).toThrow(why.replace(" .", " ConfigMap.")),
  );
});

it.each([
  { text: '{"kind":"A","kind":"B"}', want: "B" },
  { text: '{"kind":"A","kind":null}', want: "A" },
  { text: '{"kind":null,"x":1}', want: undefined },
  { text: '{"x":1}', want: undefined },
])("what counts of $text", ({ text, want }) =>
  expect(lastOfRepeated(keepRepeatedKeys(text, JSON.parse(text) as Json) as JsonObject, "kind")).toBe(want),
);

/** A member that a null has emptied may still stand there. */
function withoutNull(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNull);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, withoutNull(member)]));
}
