import { type ApiError, failure, forbidden } from "../../../shared/api/status.ts";
import type { Access } from "./access.ts";

/** What is said of a wish that nobody allows. */
export function refusal(access: Access, reason: string): ApiError {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${JSON.stringify(access.user.username)} cannot ${access.verb}`;
  if (!access.isResource) {
    return failure(403, "Forbidden", `forbidden: ${who} path ${JSON.stringify(access.path)}${because}`, {});
  }
  const resource = access.subresource === "" ? access.resource : `${access.resource}/${access.subresource}`;
  const scope =
    access.namespace === "" ? "at the cluster scope" : `in the namespace ${JSON.stringify(access.namespace)}`;
  return forbidden(
    access,
    access.name,
    `${who} resource ${JSON.stringify(resource)} in API group ${JSON.stringify(access.group)} ${scope}${because}`,
  );
}
