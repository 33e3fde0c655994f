import type { GroupResource } from "../../shared/api/group-resource.ts";
import { type ApiError, alreadyExists, conflict, failure, notFound, tooManyRequests } from "../../shared/api/status.ts";
import type { WriteResult } from "../storage/interface.ts";
import { ClaimHeld } from "./claim-held.ts";

type Refusal = Extract<WriteResult, { ok: false }>;

const BUSY_RETRY_SECONDS = 1;

/** A store's refusal as the API words it. Conflicts are the caller's to decide: it may try again. */
export function refusalError(refusal: Refusal, gr: GroupResource, name: string): ApiError {
  switch (refusal.reason) {
    case "exists":
      return alreadyExists(gr, name);
    case "notFound":
      return notFound(gr, name);
    case "busy":
      return tooManyRequests("the store has more writes waiting than it can take", BUSY_RETRY_SECONDS);
    case "tooLarge":
      // The words clients know: upstream passes on what etcd says, as a 500.
      return failure(500, "", "etcdserver: request is too large");
    case "claimed":
      return new ClaimHeld(refusal.claim, conflict(gr, name, `${refusal.claim} is held by ${refusal.holder}`).status);
    case "conflict":
      return failure(500, "InternalError", "the object changed while it was written");
  }
}
