import { PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES } from "../../../shared/api/refs.ts";
import { ignoreStale } from "../../../shared/api/status.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../../shared/api/types.ts";
import type { ApiClient } from "../../../shared/client/api-client.ts";
import type { EventRecorder } from "../../runtime/index.ts";
import { boundClaim, boundVolume, claimInPhase, unboundVolume } from "./bound-objects.ts";
import type { ClaimPlan } from "./decide-claim.ts";
import type { VolumePlan } from "./decide-volume.ts";
import { finalizersFor, type Reclaim } from "./reclaim.ts";

const PROVISIONER_ANNOTATIONS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

interface Deps {
  api: ApiClient;
  events: EventRecorder;
}

/** Takes a claim's step; every write carries the version that the plan was made for. */
export async function carryOutClaim(deps: Deps, claim: PersistentVolumeClaim, plan: ClaimPlan): Promise<void> {
  const { api, events } = deps;
  if (plan.step === "bind") return bind(deps, claim, plan.volume);
  if (plan.step === "assignClass") {
    await api.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, spec: { ...claim.spec, storageClassName: plan.name } });
    return;
  }
  if (plan.step === "provision") await annotateProvisioner(api, claim, plan.provisioner);
  if (plan.step === "lost") {
    const changed = claimInPhase(claim, "Lost");
    if (claim.status?.phase === "Lost" || !changed) return;
    await api.update(PERSISTENT_VOLUME_CLAIMS, changed, "status");
  }
  if (plan.note) events.event(claim, plan.note.type, plan.note.reason, plan.note.message);
  if (plan.step === "pending") await writeClaim(api, claimInPhase(claim, "Pending"), "status");
}

/** The volume first: it decides which of two claims has it. A step that fails half-way is finished by the next one. */
async function bind({ api }: Deps, claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
  const wanted = boundVolume(volume, claim);
  const ours = wanted ? await api.update<PersistentVolume>(PERSISTENT_VOLUMES, wanted) : volume;
  await setPhase(api, ours, "Bound");
  const named = boundClaim(claim, ours);
  const theirs = named ? await api.update<PersistentVolumeClaim>(PERSISTENT_VOLUME_CLAIMS, named) : claim;
  await writeClaim(api, claimInPhase(theirs, "Bound", ours), "status");
}

async function writeClaim(api: ApiClient, claim: PersistentVolumeClaim | undefined, part: "status"): Promise<void> {
  if (claim) await api.update(PERSISTENT_VOLUME_CLAIMS, claim, part);
}

async function annotateProvisioner(api: ApiClient, claim: PersistentVolumeClaim, provisioner: string): Promise<void> {
  const annotations = { ...claim.metadata.annotations };
  if (PROVISIONER_ANNOTATIONS.every((key) => annotations[key] === provisioner)) return;
  for (const key of PROVISIONER_ANNOTATIONS) annotations[key] = provisioner;
  await api.update(PERSISTENT_VOLUME_CLAIMS, { ...claim, metadata: { ...claim.metadata, annotations } });
}

/** Takes a volume's step; `bindClaim` is the claim's to take. */
export async function carryOutVolume(
  deps: Deps,
  { volume, claim }: { volume: PersistentVolume; claim: PersistentVolumeClaim | undefined },
  plan: VolumePlan,
): Promise<void> {
  const { api, events } = deps;
  const finalizers = finalizersFor(volume);
  if (finalizers) {
    // That write comes back as an event, and the volume's step is taken then.
    await api.update(PERSISTENT_VOLUMES, { ...volume, metadata: { ...volume.metadata, finalizers } });
    return;
  }
  if (plan.step === "phase") await setPhase(api, volume, plan.phase);
  if (plan.step === "mismatch") {
    events.event(volume, plan.volumeNote.type, plan.volumeNote.reason, plan.volumeNote.message);
    if (claim) events.event(claim, plan.claimNote.type, plan.claimNote.reason, plan.claimNote.message);
  }
  if (plan.step === "unbind")
    await setPhase(api, await api.update<PersistentVolume>(PERSISTENT_VOLUMES, unboundVolume(volume)), "Available");
  if (plan.step === "reclaim") await reclaim(deps, volume, plan.reclaim);
}

async function reclaim({ api, events }: Deps, volume: PersistentVolume, plan: Reclaim): Promise<void> {
  const { phase } = volume.status ?? {};
  const released =
    phase === "Released" || phase === "Failed" ? volume : ((await setPhase(api, volume, "Released")) ?? volume);
  if (plan.do === "fail" && phase !== "Failed") {
    const { type, reason, message } = plan.note;
    const failed = await setPhase(api, released, "Failed", message);
    events.event(failed ?? released, type, reason, message);
  }
  if (plan.do !== "delete") return;
  const { name, uid } = released.metadata;
  await api.delete(PERSISTENT_VOLUMES, { name }, { uid }).catch(ignoreStale);
}

/** @returns the volume as it is then; undefined when it was in that phase */
async function setPhase(
  api: ApiClient,
  volume: PersistentVolume,
  phase: string,
  message?: string,
): Promise<PersistentVolume | undefined> {
  if (volume.status?.phase === phase) return undefined;
  const { message: _old, ...status } = volume.status ?? {};
  const changed = { ...volume, status: { ...status, phase, ...(message === undefined ? {} : { message }) } };
  return api.update<PersistentVolume>(PERSISTENT_VOLUMES, changed, "status");
}
