/** Why a pod is not let in, in upstream's words: the reason in its status, and the message. */
export class AdmissionError extends Error {
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.name = "AdmissionError";
    this.reason = reason;
  }
}
