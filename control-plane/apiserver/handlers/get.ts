import { badRequest, notFound } from "../../../shared/api/status.ts";
import { mayHoldDerivedLeases, overlayLeases } from "../lease-renewal.ts";
import { groupResourceOf, type Handler, type ResourceRequest, storeFor } from "../resource-request.ts";
import { badReadVersion, parseRevision, tooLargeVersion } from "../resource-version.ts";
import { objectAnswer, readStored, storedAnswer } from "../response-object.ts";
import { keyOf } from "../stores.ts";

export const getObject: Handler = async (request) => {
  const { namespace, name } = request.info;
  await checkVersion(request);
  const stored = await storeFor(request).get(keyOf(namespace, name));
  if (!stored) throw notFound(groupResourceOf(request), name);
  if (!mayHoldDerivedLeases(request)) return storedAnswer(request, 200, stored);
  const lease = readStored(request.facts, stored);
  await overlayLeases(request, [lease]);
  return objectAnswer(request, 200, lease);
};

/** Every read is of the newest state: a version only has to be one that there is. */
async function checkVersion(request: ResourceRequest): Promise<void> {
  const query = request.call.url.searchParams;
  if (query.size === 0) return;
  if (query.has("export")) throw badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  const resourceVersion = query.get("resourceVersion") ?? "";
  const revision = parseRevision(resourceVersion, badReadVersion);
  if (revision === undefined) return;
  const current = await storeFor(request).currentRevision();
  if (revision > current) throw tooLargeVersion(resourceVersion, current);
}
