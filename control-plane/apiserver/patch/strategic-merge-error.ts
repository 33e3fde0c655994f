/** A malformed patch. `badRequest` tells the few that upstream answers with 400; the rest come out as 500. */
export class StrategicMergeError extends Error {
  readonly badRequest: boolean;

  constructor(message: string, badRequest = false) {
    super(message);
    this.badRequest = badRequest;
  }
}
