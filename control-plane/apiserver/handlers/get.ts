import { notFound } from "../../../shared/api/status.ts";
import { groupResourceOf, type Handler, storeFor } from "../resource-request.ts";
import { storedAnswer } from "../response-object.ts";
import { keyOf } from "../stores.ts";

export const getObject: Handler = async (request) => {
  const { namespace, name } = request.info;
  const stored = await storeFor(request).get(keyOf(namespace, name));
  if (!stored) throw notFound(groupResourceOf(request), name);
  return storedAnswer(request, 200, stored);
};
