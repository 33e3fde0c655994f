import { parseDeleteOptions } from "../delete-options.ts";
import type { Handler, ResourceRequest } from "../resource-request.ts";
import { deleteOne, deletionAnswer } from "./delete-object.ts";

const JOB_PODS_ARE_KEPT =
  "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

const isJob = ({ facts }: ResourceRequest) => facts.group === "batch" && facts.resource === "jobs";

export const deleteObject: Handler = async (request) => {
  const { call, info } = request;
  const options = parseDeleteOptions(
    await call.body("DeleteOptions"),
    call.headers.get("content-type"),
    call.url.searchParams,
  );
  if (isJob(request) && !options.propagationPolicy && options.orphanDependents === undefined) {
    request.warnings.push(JOB_PODS_ARE_KEPT);
  }
  const outcome = await deleteOne(request, { name: info.name, namespace: info.namespace, options });
  const accepted = !outcome.removed && options.orphanDependents === false;
  return deletionAnswer(request, outcome, accepted ? 202 : 200);
};
