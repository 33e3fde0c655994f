import type { JsonObject } from "../../../../shared/api/json.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import { applyDefaults, decodeObject, RESOURCES } from "../../../../shared/schema/index.ts";
import { strategyFor, validateForCreate, validateForUpdate } from "../index.ts";

function rulesOf(group: string, kind: string) {
  const facts = RESOURCES.find((row) => row.group === group && row.kind === kind);
  if (!facts) throw new Error(`no kind ${kind} in ${group}`);
  return { facts, strategy: strategyFor(facts) };
}

function decoded(group: string, kind: string, fields: JsonObject): KubeObject {
  const { facts, strategy } = rulesOf(group, kind);
  const meta: JsonObject = facts.namespaced ? { name: "a", namespace: "default" } : { name: "a" };
  const sent = { apiVersion: `${group}/${facts.version}`, kind, metadata: meta, ...fields };
  const { object } = decodeObject(facts.schema, sent, "Strict");
  applyDefaults(facts.schema, object);
  const written = object as unknown as KubeObject;
  strategy.applyDefaults?.(written, 0);
  return written;
}

/** An object as a create would store it; named `a` unless `fields` says otherwise. */
export function created(group: string, kind: string, fields: JsonObject): KubeObject {
  const object = decoded(group, kind, fields);
  rulesOf(group, kind).strategy.prepareForCreate?.(object);
  return object;
}

const lines = (causes: { field?: string; message?: string }[]) =>
  causes.map(({ field, message }) => `${field}: ${message}`);

/** Why a create is refused: lines such as `spec.replicas: Invalid value: …`. */
export function createErrors(group: string, kind: string, fields: JsonObject): string[] {
  const { facts, strategy } = rulesOf(group, kind);
  return lines(validateForCreate(strategy, created(group, kind, fields), facts.namespaced));
}

/** Why an update of what `before` made is refused. */
export function updateErrors(group: string, kind: string, before: JsonObject, fields: JsonObject): string[] {
  const { facts, strategy } = rulesOf(group, kind);
  const old = created(group, kind, before);
  old.metadata = { ...old.metadata, uid: "1", resourceVersion: "1" };
  const object = decoded(group, kind, fields);
  object.metadata = { ...old.metadata, ...object.metadata };
  strategy.prepareForUpdate?.(object, old);
  return lines(validateForUpdate(strategy, object, old, facts.namespaced));
}
