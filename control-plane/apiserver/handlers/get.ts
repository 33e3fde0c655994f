import { notFound } from "../../../shared/api/status.ts";
import { mayHoldDerivedLeases, overlayLeases } from "../lease-renewal.ts";
import { groupResourceOf, type Handler, storeFor } from "../resource-request.ts";
import { objectAnswer, readStored, storedAnswer } from "../response-object.ts";
import { keyOf } from "../stores.ts";

export const getObject: Handler = async (request) => {
  const { namespace, name } = request.info;
  const stored = await storeFor(request).get(keyOf(namespace, name));
  if (!stored) throw notFound(groupResourceOf(request), name);
  if (!mayHoldDerivedLeases(request)) return storedAnswer(request, 200, stored);
  const lease = readStored(request.facts, stored);
  await overlayLeases(request, [lease]);
  return objectAnswer(request, 200, lease);
};
