/** As upstream's backOffPeriod: when a step failed for a reason that may pass. */
const RETRY_MS = 10_000;

/** Why a container was not started: the reason and message of its waiting state. */
export class StartError extends Error {
  readonly reason: StartReason;
  /** When another attempt makes sense. */
  readonly retryAfterMs: number;

  constructor(reason: StartReason, message: string, options: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.name = "StartError";
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs ?? RETRY_MS;
  }
}

/** Waiting reasons, as `kubectl get pods` shows them. */
export type StartReason =
  | "CrashLoopBackOff"
  | "CreateContainerConfigError"
  | "CreateContainerError"
  | "ErrImageNeverPull"
  | "ErrImagePull"
  | "ImageInspectError"
  | "ImagePullBackOff"
  | "InvalidImageName"
  | "PostStartHookError"
  | "RegistryUnavailable"
  | "RunContainerError"
  | "SignatureValidationFailed";
