import { parseDeleteOptions } from "../delete-options.ts";
import type { Handler } from "../resource-request.ts";
import { deleteOne, deletionAnswer } from "./delete-object.ts";

export const deleteObject: Handler = async (request) => {
  const { call, info } = request;
  const options = parseDeleteOptions(
    await call.body("DeleteOptions"),
    call.headers.get("content-type"),
    call.url.searchParams,
  );
  const outcome = await deleteOne(request, { name: info.name, namespace: info.namespace, options });
  const accepted = !outcome.removed && options.orphanDependents === false;
  return deletionAnswer(request, outcome, accepted ? 202 : 200);
};
