import type { KubeObject } from "../../../shared/api/object.ts";
import { badRequest } from "../../../shared/api/status.ts";
import { valueAnswer } from "../answer.ts";
import { checkTypeMeta, parseBody } from "../decode.ts";
import { fromBody } from "../delete-options.ts";
import { deleteOne } from "../handlers/delete-object.ts";
import { parseWriteOptions } from "../query-options.ts";
import type { Handler } from "../resource-request.ts";

const EVICTION = { group: "policy", version: "v1", kind: "Eviction" };

/**
 * `pods/<name>/eviction`: a delete that may be refused. Budgets are not asked yet: nothing keeps their status up to
 * date before there is a disruption controller.
 */
export const createEviction: Handler = async (request) => {
  const { call, info } = request;
  const { dryRun } = parseWriteOptions(call.url.searchParams, "CreateOptions");
  const text = await call.body("Eviction");
  const value = parseBody(text, call.headers.get("content-type"), "Eviction");
  const eviction = checkTypeMeta(value, EVICTION, text, ["policy/v1beta1"]) as KubeObject & { deleteOptions?: unknown };
  if (eviction.metadata.name && eviction.metadata.name !== info.name) {
    throw badRequest("name in URL does not match name in Eviction object");
  }
  const options = fromBody(eviction.deleteOptions ?? {});
  await deleteOne(request, {
    name: info.name,
    namespace: info.namespace,
    options: { ...options, dryRun: dryRun || options.dryRun },
  });
  return valueAnswer(
    201,
    { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success", code: 201 },
    request.output,
  );
};
