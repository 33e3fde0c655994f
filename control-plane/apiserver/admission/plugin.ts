import { quote } from "../../../shared/api/field-error.ts";
import { checkPathSegment } from "../../../shared/api/names.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { type ApiError, forbidden, type StatusCause } from "../../../shared/api/status.ts";
import type { ApiContext, RequestAttributes } from "../attributes.ts";
import type { ClusterReader } from "../cluster-reader.ts";
import type { ClusterWriter } from "../cluster-writer.ts";

/** A write as admission sees it. */
export interface AdmissionRequest {
  operation: "CREATE" | "UPDATE" | "DELETE";
  attributes: RequestAttributes;
  user: ApiContext["user"];
  /** What would be stored; undefined for a DELETE. A mutating plugin changes it in place. */
  object?: KubeObject;
  /** What is stored; undefined for a CREATE. */
  old?: KubeObject;
  /** Other objects of the cluster, a second old at most. */
  reader: ClusterReader;
  /** For accounts that admission keeps. Nothing is written in a dry run. */
  writer: ClusterWriter;
  warn(text: string): void;
  /** What a plugin's `admit` finds wrong with the object itself; told together with what validation finds, and before it. */
  causes: StatusCause[];
}

/** Refuses by throwing an ApiError. A plugin that has nothing to do returns at once, and without a promise. */
export interface AdmissionPlugin {
  name: string;
  /** Runs before defaults and validation. */
  admit?(request: AdmissionRequest): void | Promise<void>;
  /** Runs when the object is in its final form. */
  validate?(request: AdmissionRequest): void | Promise<void>;
}

/** `pods`, `pods/status`, `deployments.apps`: what a plugin compares with. */
export function targetOf({ resource, subresource }: RequestAttributes): string {
  const name = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return subresource ? `${name}/${subresource}` : name;
}

/** What is written, by the name that messages give it: a generated name is not known yet. */
export function refuse({ attributes, object }: AdmissionRequest, why: string): ApiError {
  const { name, generateName } = object?.metadata ?? {};
  return forbidden(attributes.resource, attributes.name || name || generateName || "Unknown", why);
}

/** What upstream's client says of a name that has no place in a path; its plugins ask through it. */
export function nameError(name: string): string | undefined {
  if (name === "") return "resource name may not be empty";
  const messages = checkPathSegment(name);
  return messages.length > 0 ? `invalid resource name ${quote(name)}: [${messages.join(" ")}]` : undefined;
}

/** The spec of an object that is to be completed; an object without one gets one. */
export function specOf(object: KubeObject): object {
  object.spec ??= {};
  return object.spec as object;
}
