import type { KubeObject } from "../../../shared/api/object.ts";
import type { ControllerRevision, PodTemplateSpec } from "../../../shared/api/types.ts";
import type { ResourceRef } from "../../../shared/client/api-client.ts";
import { newControllerRef, parseTime } from "../../runtime/index.ts";
import { fnv32, printHash } from "../fnv.ts";
import { goJson } from "./go-json.ts";

/** The label of a pod that tells of which revision it is. */
export const REVISION_LABEL = "controller-revision-hash";
/** The label of a StatefulSet's ControllerRevision with the hash in its name. */
export const HASH_LABEL = "controller.kubernetes.io/hash";

/** Of the owner's name as much as leaves room for the hash. */
const MAX_PREFIX_LENGTH = 223;

/** The strategic merge patch that brings the template back: what a ControllerRevision keeps of its owner. */
export const templatePatch = (template: PodTemplateSpec): unknown => ({
  spec: { template: { ...template, $patch: "replace" } },
});

const texts = new WeakMap<object, string>();

/** Data as upstream has its bytes; the same data give the same text. */
export function dataText(data: unknown): string {
  if (typeof data !== "object" || data === null) return goJson(data);
  let text = texts.get(data);
  if (text === undefined) {
    text = goJson(data);
    texts.set(data, text);
  }
  return text;
}

/** The template that a revision keeps; undefined when its data are of another form. */
export function templateOf({ data }: ControllerRevision): PodTemplateSpec | undefined {
  const template = (data as { spec?: { template?: PodTemplateSpec & { $patch?: string } } } | undefined)?.spec
    ?.template;
  if (typeof template !== "object" || template === null) return undefined;
  const { $patch: _directive, ...rest } = template;
  return rest;
}

/** The hash by which upstream names a StatefulSet's revisions: FNV-1 over the data, then the number of collisions. */
export const hashOfData = (data: unknown, collisionCount: number): string =>
  printHash(fnv32(new TextEncoder().encode(`${dataText(data)}${collisionCount}`)));

export const revisionName = (owner: string, hash: string): string => `${owner.slice(0, MAX_PREFIX_LENGTH)}-${hash}`;

export interface RevisionFacts {
  owner: KubeObject;
  ownerRef: ResourceRef;
  name: string;
  labels: Record<string, string>;
  data: unknown;
  revision: number;
}

/**
 * A new ControllerRevision; it has its owner's annotations (kubectl shows the change cause from there). Its data are in
 * the order of upstream's: clients know a revision by its bytes.
 */
export const newRevision = ({ owner, ownerRef, name, labels, data, revision }: RevisionFacts): ControllerRevision => ({
  apiVersion: "apps/v1",
  kind: "ControllerRevision",
  metadata: {
    name,
    namespace: owner.metadata.namespace,
    labels,
    ...(owner.metadata.annotations ? { annotations: { ...owner.metadata.annotations } } : {}),
    ownerReferences: [newControllerRef(owner, ownerRef)],
  },
  data: JSON.parse(dataText(data)),
  revision,
});

/** The lowest number first; of the same number the older, then by name. */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  if (a.revision !== b.revision) return a.revision - b.revision;
  const age = parseTime(a.metadata.creationTimestamp) - parseTime(b.metadata.creationTimestamp);
  if (age) return age;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

export const maxRevision = (revisions: ControllerRevision[]): number =>
  Math.max(0, ...revisions.map(({ revision }) => revision));
