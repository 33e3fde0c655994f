import { joinMessages, messageOf } from "../../../shared/message-of.ts";
import { printDuration } from "../../../shared/print-duration.ts";
import type { Container, Pod } from "../../api/index.ts";
import type { Clock } from "../../clock/index.ts";
import { type CriClient, CriError, type SandboxConfig } from "../../cri/index.ts";
import type { AgentState } from "../../state/index.ts";
import type { Backoff } from "../backoff.ts";
import type { EventRecorder } from "../events.ts";
import type { ImageUser } from "../security-context.ts";
import { StartError } from "../start-error.ts";
import { unlessAborted } from "../unless-aborted.ts";
import { whyInvalidImageName, withDefaultTag } from "./image-name.ts";
import type { PullCredential } from "./pull-credentials.ts";
import type { PullTurns } from "./pull-turns.ts";
import { mustPull, type VerificationSettings, withPull } from "./pulled-images.ts";

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
  /** Asked for when they are needed. */
  credentials: () => Promise<PullCredential[]>;
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
  turns,
  state,
  verification,
}: {
  cri: CriClient;
  backoff: Backoff;
  events: EventRecorder;
  clock: Clock;
  turns: PullTurns;
  state: Pick<AgentState, "pullRecord" | "savePullRecord" | "isPulling" | "setPulling">;
  verification: VerificationSettings;
}): ImagePuller {
  /** The last failure by back-off key, which the waiting message repeats. Emptied with the pod. */
  const lastFailures = new Map<string, string>();
  /** How many pulls of an image are under way. */
  const pulling = new Map<string, number>();

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
    const turn = turns.take(async () => {
      // Its pod may have gone while others pulled.
      if (signal.aborted) throw new Error("no longer wanted");
      const startedMs = clock.nowMs();
      const ref = await recorded(image, await credentials(), sandbox);
      return { ref, tookMs: clock.nowMs() - startedMs };
    });
    turn.catch(() => {}); // told to whoever still waits
    try {
      const { ref, tookMs } = await unlessAborted(turn, signal);
      const found = await local(ref);
      const waitedMs = clock.nowMs() - queuedMs;
      note(
        "Normal",
        "Pulled",
        `Successfully pulled image "${named}" in ${printDuration(tookMs)} (${printDuration(waitedMs)} including waiting). Image size: ${found?.sizeBytes ?? 0} bytes.`,
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

  /** Pulls, and remembers by whom: before it begins, lest an image be taken for one that was always there. */
  async function recorded(image: string, credentials: PullCredential[], sandbox: SandboxConfig): Promise<string> {
    pulling.set(image, (pulling.get(image) ?? 0) + 1);
    try {
      await state.setPulling(image, true);
      const { ref, used } = await pullWithAny(image, credentials, sandbox);
      await state.savePullRecord(ref, withPull(await state.pullRecord(ref), image, used?.secret));
      return ref;
    } finally {
      const others = (pulling.get(image) ?? 1) - 1;
      if (others > 0) pulling.set(image, others);
      else {
        pulling.delete(image);
        await state.setPulling(image, false);
      }
    }
  }

  /** Each credential in turn, as upstream does; without any, as anybody. */
  async function pullWithAny(
    image: string,
    credentials: PullCredential[],
    sandboxConfig: SandboxConfig,
  ): Promise<{ ref: string; used?: PullCredential }> {
    if (credentials.length === 0) return { ref: await cri.pullImage(image, { sandboxConfig }) };
    const failures: unknown[] = [];
    for (const used of credentials) {
      try {
        return { ref: await cri.pullImage(image, { auth: used.auth, sandboxConfig }), used };
      } catch (error) {
        failures.push(error);
      }
    }
    throw aggregate(failures);
  }

  async function mayUse(image: string, { ref }: LocalImage, request: ImageRequest): Promise<boolean> {
    const facts = { record: await state.pullRecord(ref), isPulling: await state.isPulling(image) };
    if (!mustPull(image, [], facts, verification)) return true;
    const secrets = (await request.credentials()).map(({ secret }) => secret);
    return !mustPull(image, secrets, facts, verification);
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
      if (found && (await mayUse(image, found, request))) {
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

function aggregate(failures: unknown[]): unknown {
  const messages = new Set(failures.map(pullMessage));
  return messages.size === 1 ? failures[0] : new Error(joinMessages([...messages]), { cause: failures[0] });
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
