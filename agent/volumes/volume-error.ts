import { messageOf } from "../../shared/message-of.ts";
import { ClaimError } from "./claim-error.ts";

/** Why a volume of a pod is not there. */
export interface VolumeFailure {
  volume: string;
  cause: unknown;
}

/** Volumes of a pod that are not there, in upstream's words. */
export class VolumeError extends Error {
  /** An event each. */
  readonly texts: string[];
  /** Names, sorted. */
  readonly volumes: string[];
  /** Whether a claim is not ready: it may be any moment. */
  readonly waitsForClaim: boolean;

  constructor(failures: VolumeFailure[]) {
    const texts = describeFailures(failures);
    super(texts.join("; "), { cause: failures[0]?.cause });
    this.name = "VolumeError";
    this.texts = texts;
    this.volumes = failures.map(({ volume }) => volume).sort();
    this.waitsForClaim = failures.some(({ cause }) => cause instanceof ClaimError);
  }
}

/** Each volume that could not be mounted by itself; those whose claims are not ready together: they were not tried. */
export function describeFailures(failures: VolumeFailure[]): string[] {
  const claims = failures.filter(({ cause }) => cause instanceof ClaimError);
  const texts = failures
    .filter((failure) => !claims.includes(failure))
    .map(({ volume, cause }) => `MountVolume.SetUp failed for volume "${volume}" : ${messageOf(cause)}`);
  if (claims.length === 0) return texts;
  const why = claims.map(({ cause }) => messageOf(cause)).join("; ");
  return [
    ...texts,
    describeWait(
      failures.map(({ volume }) => volume),
      claims.map(({ volume }) => volume),
      why,
    ),
  ];
}

/** How a kubelet tells that it has given up waiting for a pod's volumes, to begin anew. */
export const describeWait = (unmounted: string[], notTried: string[], why: string): string =>
  `Unable to attach or mount volumes: unmounted volumes=${list(unmounted)}, unattached volumes=[], failed to process volumes=${list(notTried)}: ${why}`;

const list = (names: string[]) => `[${[...names].sort().join(" ")}]`;
