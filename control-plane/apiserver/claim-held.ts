import { ApiError } from "../../shared/api/status.ts";

/** A claim that another object of the store holds; the caller draws again, or gives up. */
export class ClaimHeld extends ApiError {
  readonly claim: string;

  constructor(claim: string, status: ApiError["status"]) {
    super(status);
    this.name = "ClaimHeld";
    this.claim = claim;
  }
}
