/** Why a container was not started: the reason and message of its waiting state. */
export class StartError extends Error {
  readonly reason: StartReason;

  constructor(reason: StartReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "StartError";
    this.reason = reason;
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
  | "RunContainerError";
