import type { Json, JsonObject } from "../../../../shared/api/json.ts";
import type { KubeObject } from "../../../../shared/api/object.ts";
import { findKind } from "../../../../shared/schema/index.ts";
import { around, FIELDS, type Field, type FieldName } from "./fields.ts";

/** What a step is answered with, or what is there after it. */
export interface Outcome {
  /** The code and the message of a refusal. */
  refused?: [code: number, message: string];
  /** The field's value, of the members that the case names at all: defaults stay out of it. Absent: nothing there. */
  value?: Json;
  /** Who owns what of the field, see `ownersOf`. */
  owners?: Record<string, string[]>;
}

/** What somebody does to the field: gives it a value (`undefined`: leaves it out), or patches what is around it. */
export type Step = {
  by: string;
  /** Through the status subresource. */
  status?: true;
  /** In another version of the kind. */
  version?: string;
  /** Annotations that the object carries as well. */
  annotations?: Record<string, string>;
  after?: Outcome;
} & (
  | { apply: Json | undefined; force?: true }
  | { create: Json | undefined }
  | { update: Json | undefined }
  /** The members of the patch are those of the object that holds the field. */
  | { strategic: JsonObject }
  | { merge: JsonObject }
  /** Paths begin at the object that holds the field. */
  | { json: JsonObject[] }
);

export interface FieldCase {
  name: string;
  field: FieldName;
  steps: Step[];
}

type Call = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) => Promise<{ code: number; body: unknown }>;

/**
 * Takes the steps of a case and tells what came of each that has to say something: every one that is refused, and the
 * last.
 * @param call speaks to the API in a namespace that is there
 */
export async function runCase({ field: name, steps }: FieldCase, namespace: string, call: Call): Promise<Outcome[]> {
  const field: Field = FIELDS[name];
  const words = wordsOf(steps);
  const outcomes: Outcome[] = [];
  for (const [i, step] of steps.entries()) {
    const { method, path, body, headers } = requestOf(field, step, namespace);
    const reply = await call(method, path, body, headers);
    if (reply.code >= 400) {
      outcomes.push({ refused: [reply.code, (reply.body as { message: string }).message] });
    } else if (i === steps.length - 1 || step.after) {
      outcomes.push(stateOf(field, reply.body as KubeObject, words));
    } else outcomes.push({});
  }
  return outcomes;
}

const TYPES = {
  apply: "application/apply-patch+yaml",
  create: "application/json",
  update: "application/json",
  strategic: "application/strategic-merge-patch+json",
  merge: "application/merge-patch+json",
  json: "application/json-patch+json",
};
const OBJECT_NAME = "case";

function requestOf(field: Field, step: Step, namespace: string) {
  const version = step.version ?? field.version;
  const facts = findKind({ group: field.group, version, kind: field.kind })!;
  const groupVersion = field.group === "" ? version : `${field.group}/${version}`;
  const root = field.group === "" ? `/api/${version}` : `/apis/${groupVersion}`;
  const verb = (["apply", "create", "update", "strategic", "merge", "json"] as const).find((each) => each in step)!;
  const collection = `${root}/namespaces/${namespace}/${facts.resource}`;
  const path = verb === "create" ? collection : `${collection}/${OBJECT_NAME}${step.status ? "/status" : ""}`;
  const method = verb === "create" ? "POST" : verb === "update" ? "PUT" : "PATCH";
  const force = "force" in step && step.force ? "&force=true" : "";
  return {
    method,
    path: `${path}?fieldManager=${step.by}${force}`,
    body: bodyOf(field, step, groupVersion),
    headers: { "content-type": TYPES[verb] },
  };
}

function bodyOf(field: Field, step: Step, apiVersion: string): Json {
  const way = field.way ?? {};
  if ("strategic" in step) return around(field, way, step.strategic as Record<string, Json>);
  if ("merge" in step) return around(field, {}, step.merge as Record<string, Json>);
  const holder = field.path.slice(0, -1);
  if ("json" in step) {
    return step.json.map((operation) => ({
      ...operation,
      path: [...holder.map((part) => `/${part}`), operation["path"]].join(""),
    }));
  }
  const value = "apply" in step ? step.apply : "create" in step ? step.create : step.update;
  const object = around(field, field.base, { [field.path.at(-1)!]: value });
  const metadata: JsonObject = { ...(object["metadata"] as JsonObject), name: OBJECT_NAME };
  if (step.annotations) metadata["annotations"] = step.annotations;
  return { apiVersion, kind: field.kind, ...object, metadata };
}

function stateOf(field: Field, object: KubeObject, words: Set<string>): Outcome {
  let at: unknown = object;
  for (const step of field.path) at = (at as Record<string | number, unknown> | undefined)?.[step];
  const value = at === undefined || at === null ? undefined : onlyNamed(at as Json, words);
  return { ...(value === undefined ? {} : { value }), owners: ownersOf(field, object) };
}

/** The names of all members that the steps write. */
function wordsOf(steps: unknown): Set<string> {
  const words = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) words.add(name);
      if (name !== "after") visit(member);
    }
  };
  visit(steps);
  return words;
}

function onlyNamed(value: Json, words: Set<string>): Json {
  if (Array.isArray(value)) return value.map((item) => onlyNamed(item, words));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).filter(([name]) => words.has(name));
  return Object.fromEntries(members.map(([name, member]) => [name, onlyNamed(member!, words)]));
}

/**
 * What each manager owns from the field on: `.` for the field itself, `.name` for a member, `[A]` and `[80,TCP]` for an
 * item by its keys, `[="x"]` for one of a set. Those who update are told apart, and whoever came through a subresource
 * or another version.
 */
function ownersOf(field: Field, { apiVersion, metadata }: KubeObject): Record<string, string[]> {
  const owners: Record<string, string[]> = {};
  for (const entry of metadata.managedFields ?? []) {
    // A controller may have had its say.
    if (entry.manager?.startsWith("kube-")) continue;
    let at = entry.fieldsV1 as JsonObject | undefined;
    for (const step of field.path) {
      const element = typeof step === "number" ? 'k:{"name":"main"}' : `f:${step}`;
      at = at?.[element] as JsonObject | undefined;
    }
    if (at === undefined) continue;
    const how = entry.operation === "Update" ? " by update" : "";
    const where = entry.subresource ? ` of ${entry.subresource}` : "";
    const version = entry.apiVersion === apiVersion ? "" : ` in ${entry.apiVersion}`;
    owners[`${entry.manager}${how}${where}${version}`] = leavesOf(at);
  }
  return owners;
}

function leavesOf(set: JsonObject, at = ""): string[] {
  const members = Object.entries(set);
  if (members.length === 0) return [at === "" ? "." : at];
  return members.flatMap(([element, below]) => {
    if (element === ".") return [at === "" ? "." : at];
    const text = element.slice(2);
    const step = element.startsWith("k:")
      ? `[${Object.values(JSON.parse(text) as JsonObject).join()}]`
      : element.startsWith("v:")
        ? `[=${text}]`
        : `.${text}`;
    return leavesOf(below as JsonObject, `${at}${step}`);
  });
}
