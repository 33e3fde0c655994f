import { invalidValue } from "../../../shared/api/field-error.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import type { StatusCause } from "../../../shared/api/status.ts";
import { valueAnswer } from "../answer.ts";
import type { Answer } from "../call.ts";
import { dropEmptyFields, trackFields } from "../field-management.ts";
import { parseWriteOptions } from "../query-options.ts";
import { type ResourceRequest, typeMetaOf } from "../resource-request.ts";
import { readTyped } from "../typed-body.ts";

/** The question in a request's body. @throws ApiError as for any object */
export async function readReview<T>(request: ResourceRequest): Promise<KubeObject & { spec?: T }> {
  const { call, facts } = request;
  const { fieldValidation } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const object = await readTyped(request, facts, fieldValidation);
  object.metadata ??= {};
  const review = object as unknown as KubeObject & { spec?: T };
  trackFields(request, undefined, review);
  dropEmptyFields(request, review, "unwritten");
  return review;
}

/** A question has no metadata. @param printed what the message shows, if more than what is checked */
export function checkMetadata(metadata: object, printed: object = metadata): StatusCause[] {
  const { managedFields, ...others } = metadata as { managedFields?: unknown };
  const isEmpty = Object.keys(others).length === 0;
  return isEmpty
    ? []
    : [invalidValue("metadata", printed, `must be empty${printed === metadata ? "" : " except for namespace"}`)];
}

export const answerReview = (request: ResourceRequest, review: KubeObject, status: object): Answer =>
  valueAnswer(201, { ...review, ...typeMetaOf(request.facts), status }, request.output);
