import { isJsonObject, type Json, type JsonObject } from "../../../../shared/api/json.ts";
import { INTERNAL_TYPES, type InternalType } from "./types.ts";

type Field = { name: string; kind: string };

const parsed = new Map<string, Field[]>();

function fieldsOf(type: InternalType): Field[] {
  let fields = parsed.get(type);
  if (!fields) {
    fields = INTERNAL_TYPES[type]
      .split(" ")
      .filter((text) => text !== "")
      .map((text) => {
        const [name = "", kind = ""] = text.split(":");
        return { name, kind };
      });
    parsed.set(type, fields);
  }
  return fields;
}

/** Fields that the API has elsewhere: pods' host namespaces are part of the internal security context. */
const HOST_FIELDS = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/** The API's names of fields that are called otherwise inside. */
const API_NAMES: Record<string, string> = {
  CephMonitors: "monitors",
  DataDiskURI: "diskURI",
  DiscoveryCHAPAuth: "chapAuthDiscovery",
  EndpointsName: "endpoints",
  RBDImage: "image",
  RBDPool: "pool",
  RadosUser: "user",
  SessionCHAPAuth: "chapAuthSession",
};

/**
 * A value of the API in upstream's internal form: every field there is, under its Go name, zero values included. What
 * `JSON.stringify` makes of it is what upstream prints.
 */
export function renderInternal(value: unknown, type: InternalType): JsonObject {
  const source = (isJsonObject(value as Json) ? value : {}) as JsonObject;
  const byName = new Map(Object.entries(source).map(([key, member]) => [key.toLowerCase(), member]));
  if (type === "PodSpec") byName.set("securitycontext", withHostFields(source));
  const result: JsonObject = {};
  for (const { name, kind } of fieldsOf(type)) {
    result[name] = renderField(byName.get((API_NAMES[name] ?? name).toLowerCase()), kind);
  }
  return result;
}

function withHostFields({ securityContext = null, ...spec }: JsonObject): Json {
  const moved = HOST_FIELDS.filter((field) => spec[field] !== undefined).map((field) => [field, spec[field]]);
  if (moved.length === 0) return securityContext;
  return { ...(isJsonObject(securityContext) ? securityContext : {}), ...Object.fromEntries(moved) };
}

const ZERO: Record<string, Json> = { s: "", i: 0, b: false, q: "0" };

function renderField(value: Json | undefined, kind: string): Json {
  if (kind in ZERO) return value ?? ZERO[kind]!;
  if (kind === "{}") return sorted(value);
  if (kind.startsWith("[]")) return renderList(value, kind.slice(2));
  if (kind.startsWith("?")) return value === undefined || value === null ? null : renderPointer(value, kind.slice(1));
  return renderInternal(value, kind as InternalType);
}

function renderPointer(value: Json, kind: string): Json {
  if (kind === "=") return withoutEmpty(value);
  return kind === "" ? value : renderInternal(value, kind as InternalType);
}

/** Types that are the API's own inside as well leave out what is empty. */
function withoutEmpty(value: Json): Json {
  if (!isJsonObject(value)) return value;
  const isEmpty = (member: Json) =>
    Array.isArray(member) ? member.length === 0 : isJsonObject(member) && Object.keys(member).length === 0;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => !isEmpty(member)));
}

function renderList(value: Json | undefined, kind: string): Json {
  if (!Array.isArray(value)) return null;
  return kind === "" ? value : value.map((item) => renderInternal(item, kind as InternalType));
}

/** Go prints maps by their keys. */
function sorted(value: Json | undefined): Json {
  if (!isJsonObject(value)) return null;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
