import type { KubeList, KubeObject } from "../../shared/api/object.ts";
import { failure } from "../../shared/api/status.ts";
import { decodeStored, renderStored } from "../../shared/api/stored-object.ts";
import type { ResourceFacts } from "../../shared/schema/index.ts";
import type { StoredValue } from "../storage/interface.ts";
import { jsonAnswer, valueAnswer } from "./answer.ts";
import type { Answer } from "./call.ts";
import { fromStored } from "./conversion/index.ts";
import type { Output } from "./negotiation.ts";
import type { CallUrl } from "./request-head.ts";
import { type ResourceRequest, typeMetaOf } from "./resource-request.ts";
import { renderTable } from "./table/index.ts";

/** JSON as it is stored: no parsing is needed to answer. */
export const isPlain = ({ output }: ResourceRequest): boolean =>
  output.format === "json" && !output.pretty && !output.as;

/** The object of a stored value, in the stored form; its typeMeta is the request's. */
export function readStored(
  facts: ResourceFacts,
  { value, revision }: Pick<StoredValue, "value" | "revision">,
): KubeObject {
  return decodeStored(value, revision, typeMetaOf(facts));
}

/** Answers with what is stored; where nothing has to be changed the text goes out unparsed. */
export function storedAnswer(request: ResourceRequest, code: number, stored: StoredValue): Answer {
  if (isPlain(request) && !request.facts.storedAs) {
    return jsonAnswer(code, `${renderStored(stored.value, stored.revision, typeMetaOf(request.facts))}\n`);
  }
  return objectAnswer(request, code, readStored(request.facts, stored));
}

/** Whether the version asked for shows: cells and metadata are told from the stored form. */
export function showsVersion({ output, call }: Pick<ResourceRequest, "output" | "call">): boolean {
  if (!output.as) return true;
  return output.as.kind === "Table" && includeObject(call.url) === "Object";
}

/** Answers with a parsed object in the stored form. */
export function objectAnswer(request: ResourceRequest, code: number, object: KubeObject): Answer {
  const { output, facts } = request;
  const shown = { ...(showsVersion(request) ? fromStored(facts, object) : object), ...typeMetaOf(facts) };
  return valueAnswer(code, output.as ? transformObject(request, shown) : shown, output);
}

/** One object as a Table (watches tell the columns once) or PartialObjectMetadata. */
export function transformObject(
  { output, facts, call }: ResourceRequest,
  object: KubeObject,
  { omitColumns = false } = {},
): unknown {
  const as = output.as!;
  if (as.kind === "Table") {
    return renderTable(facts, [object], {
      includeObject: includeObject(call.url),
      nowMs: Date.now(),
      version: as.version,
      omitColumns,
    });
  }
  if (as.kind === "PartialObjectMetadata") return partialMetadata(object, as.version);
  throw failure(
    406,
    "NotAcceptable",
    `you requested ${as.kind}, but the requested object is not a list (*${internalType(facts)})`,
  );
}

export function transformList({ output, facts, call }: ResourceRequest, list: KubeList): unknown {
  const as = output.as as NonNullable<Output["as"]>;
  if (as.kind === "Table") {
    return renderTable(facts, list.items, {
      includeObject: includeObject(call.url),
      listMeta: list.metadata,
      nowMs: Date.now(),
      version: as.version,
    });
  }
  if (as.kind === "PartialObjectMetadataList") {
    return {
      kind: "PartialObjectMetadataList",
      apiVersion: `meta.k8s.io/${as.version}`,
      metadata: list.metadata,
      items: list.items.map((item) => partialMetadata(item, as.version)),
    };
  }
  throw failure(
    406,
    "NotAcceptable",
    `you requested ${as.kind}, but the requested object is a list (*${internalType(facts)}List)`,
  );
}

export const partialMetadata = (object: KubeObject, version: string) => ({
  kind: "PartialObjectMetadata",
  apiVersion: `meta.k8s.io/${version}`,
  metadata: object.metadata,
});

/** How much of each object a Table's rows carry. */
export function includeObject(url: CallUrl): "None" | "Metadata" | "Object" {
  const value = url.searchParams.get("includeObject");
  if (value === null || value === "" || value === "Metadata") return "Metadata";
  if (value === "None" || value === "Object") return value;
  const why = `includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`;
  throw failure(400, "BadRequest", `Unable to convert to Table as requested: ${why}`);
}

/** Upstream's name of the internal type, which its message shows: `rbac.Role`, `core.Pod`. */
export const internalType = ({ group, kind }: Pick<ResourceFacts, "group" | "kind">): string =>
  `${group === "" ? "core" : group.split(".")[0]}.${kind}`;
