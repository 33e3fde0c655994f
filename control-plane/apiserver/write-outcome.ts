import type { GroupResource } from "../../shared/api/group-resource.ts";
import { type ApiError, alreadyExists, failure, notFound } from "../../shared/api/status.ts";
import type { WriteResult } from "../storage/interface.ts";

type Refusal = Extract<WriteResult, { ok: false }>;

/** A store's refusal as the API words it. Conflicts are the caller's to decide: it may try again. */
export function refusalError(refusal: Refusal, gr: GroupResource, name: string): ApiError {
  switch (refusal.reason) {
    case "exists":
      return alreadyExists(gr, name);
    case "notFound":
      return notFound(gr, name);
    case "tooLarge":
      // The words clients know: upstream passes on what etcd says, as a 500.
      return failure(500, "", "etcdserver: request is too large");
    case "claimed":
      return failure(409, "Conflict", `${refusal.claim} is already held by ${refusal.holder}`);
    case "conflict":
      return failure(500, "InternalError", "the object changed while it was written");
  }
}
