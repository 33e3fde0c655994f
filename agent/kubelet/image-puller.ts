import { messageOf } from "../../shared/message-of.ts";
import type { Container, Pod } from "../api/index.ts";
import { type AuthConfig, type CriClient, CriError, type SandboxConfig } from "../cri/index.ts";
import type { Backoff } from "./backoff.ts";
import type { Clock } from "./clock.ts";
import type { EventRecorder } from "./events.ts";
import { whyInvalidImageName, withDefaultTag } from "./image-name.ts";
import type { ImageUser } from "./security-context.ts";
import { StartError } from "./start-error.ts";

const SHOW_BACKOFF_MS = 2_000;

export interface LocalImage {
  /** What to create the container from. */
  ref: string;
  user: ImageUser;
}

export interface ImageRequest {
  pod: Pod;
  container: Container;
  sandbox: SandboxConfig;
  credentials: AuthConfig[];
  /** Gives up waiting; a pull that is under way goes on, since its image may be wanted again. */
  signal: AbortSignal;
}

export interface ImagePuller {
  /** @throws StartError with the reason that the container then shows */
  ensure(request: ImageRequest): Promise<LocalImage>;
  forgetPod(uid: string): void;
}

export function createImagePuller({
  cri,
  backoff,
  events,
  clock,
}: {
  cri: CriClient;
  backoff: Backoff;
  events: EventRecorder;
  clock: Clock;
}): ImagePuller {
  /** The last failure by back-off key, which the waiting message repeats. Emptied with the pod. */
  const lastFailures = new Map<string, string>();
  /** One pull at a time (the kubelet's serializeImagePulls), so that a slow line is not shared by all. */
  let queue: Promise<unknown> = Promise.resolve();

  const inspect = (image: string) =>
    cri.imageStatus(image).catch((cause: unknown) => {
      throw new StartError("ImageInspectError", `Failed to inspect image "${image}": ${messageOf(cause)}`, { cause });
    });

  async function local(image: string): Promise<(LocalImage & { sizeBytes: number }) | undefined> {
    const found = await inspect(image);
    if (!found) return undefined;
    const user: ImageUser = found.uid
      ? { uid: found.uid.value }
      : found.username
        ? { username: found.username }
        : { uid: 0 };
    return { ref: found.id, user, sizeBytes: found.size };
  }

  async function pull(
    image: string,
    { pod, container, sandbox, credentials, signal }: ImageRequest,
  ): Promise<LocalImage> {
    const note = events.forContainer(pod, container);
    const named = container.image ?? "";
    const key = `${pod.metadata.uid}_${named}`;
    if (backoff.waitMs(key, clock.nowMs()) > 0) {
      note("Normal", "BackOff", `Back-off pulling image "${named}"`);
      const previous = lastFailures.get(key);
      throw new StartError("ImagePullBackOff", `Back-off pulling image "${named}"${previous ? `: ${previous}` : ""}`, {
        retryAfterMs: backoff.waitMs(key, clock.nowMs()),
      });
    }
    note("Normal", "Pulling", `Pulling image "${named}"`);
    const queuedMs = clock.nowMs();
    const turn = queue.then(async () => {
      // Its pod may have gone while others pulled.
      if (signal.aborted) throw new Error("no longer wanted");
      const startedMs = clock.nowMs();
      const ref = await pullWithAny(image, credentials, sandbox);
      return { ref, tookMs: clock.nowMs() - startedMs };
    });
    queue = turn.catch(() => {});
    try {
      const { ref, tookMs } = await unlessAborted(turn, signal);
      const found = await local(ref);
      const waitedMs = clock.nowMs() - queuedMs;
      note(
        "Normal",
        "Pulled",
        `Successfully pulled image "${named}" in ${formatDuration(tookMs)} (${formatDuration(waitedMs)} including waiting). Image size: ${found?.sizeBytes ?? 0} bytes.`,
      );
      lastFailures.delete(key);
      return found ?? { ref, user: {} };
    } catch (cause) {
      if (cause instanceof StartError || signal.aborted) throw cause;
      const failedMs = clock.nowMs();
      note("Warning", "Failed", `Failed to pull image "${named}": ${pullMessage(cause)}`);
      backoff.next(key, failedMs, failedMs);
      const { reason, message } = describePullError(named, pullMessage(cause));
      lastFailures.set(key, `${reason}: ${message}`);
      // Soon shown as a back-off; the next pull waits for its end.
      throw new StartError(reason, message, { cause, retryAfterMs: SHOW_BACKOFF_MS });
    }
  }

  /** Each credential in turn, as upstream does; without any, as anybody. */
  async function pullWithAny(image: string, credentials: AuthConfig[], sandboxConfig: SandboxConfig): Promise<string> {
    const attempts: (AuthConfig | undefined)[] = credentials.length > 0 ? credentials : [undefined];
    let failure: unknown;
    for (const auth of attempts) {
      try {
        return await cri.pullImage(image, { auth, sandboxConfig });
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  return {
    async ensure(request) {
      const { pod, container } = request;
      const note = events.forContainer(pod, container);
      const named = container.image ?? "";
      const image = withDefaultTag(named);
      if (image === undefined) {
        const message = `Failed to apply default image tag "${named}": couldn't parse image name "${named}": ${whyInvalidImageName(named)}`;
        note("Warning", "InspectFailed", message);
        throw new StartError("InvalidImageName", message);
      }
      if (container.imagePullPolicy === "Always") return pull(image, request);
      let found: LocalImage | undefined;
      try {
        found = await local(image);
      } catch (error) {
        note("Warning", "InspectFailed", messageOf(error));
        throw error;
      }
      if (found) {
        note(
          "Normal",
          "Pulled",
          `Container image "${named}" already present on machine and can be accessed by the pod`,
        );
        return found;
      }
      if (container.imagePullPolicy === "Never") {
        const message = `Container image "${named}" is not present with pull policy of Never`;
        note("Warning", "ErrImageNeverPull", message);
        throw new StartError("ErrImageNeverPull", message);
      }
      return pull(image, request);
    },
    forgetPod(uid) {
      backoff.forget(`${uid}_`);
      for (const key of lastFailures.keys()) if (key.startsWith(`${uid}_`)) lastFailures.delete(key);
    },
  };
}

/** The runtime's own sentence: a code that says nothing is left out. */
const pullMessage = (cause: unknown) =>
  cause instanceof CriError && cause.code === "Unknown" ? cause.detail : messageOf(cause);

/** Runtimes begin some errors with a name of CRI's own (k8s.io/cri-api, pkg/errors). */
function describePullError(
  image: string,
  message: string,
): { reason: "ErrImagePull" | "RegistryUnavailable" | "SignatureValidationFailed"; message: string } {
  for (const [reason, why] of [
    ["RegistryUnavailable", "the registry is unavailable"],
    ["SignatureValidationFailed", "the signature validation failed"],
  ] as const) {
    if (message.startsWith(reason)) {
      return { reason, message: `image pull failed for ${image} because ${why}${message.slice(reason.length)}` };
    }
  }
  return { reason: "ErrImagePull", message };
}

/** The promise's outcome, or a rejection as soon as the signal is aborted. Leaves nothing on the signal. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const give = () => reject(new Error("no longer wanted"));
  if (signal.aborted) give();
  signal.addEventListener("abort", give, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", give);
  }
}

/** As Go prints a duration: `850ms`, `4.212s`, `1m3.5s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return ms === 0 ? "0s" : `${ms}ms`;
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${seconds}s`;
}
