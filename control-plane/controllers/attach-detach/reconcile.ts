import type { VolumeAttachment } from "../../../shared/api/types.ts";
import { type Requeue, requeueAfter } from "../../runtime/index.ts";
import { carryOut } from "./carry-out.ts";
import { type AttachDeps, BY_VOLUME, noteKey } from "./deps.ts";
import { attachedPodsOf, needingPods } from "./needing-pods.ts";
import { planFor } from "./plan-for.ts";
import { type AttachableVolume, attachableVolume, attachmentName, isOurName, volumeOfStray } from "./volume.ts";

type Attachments = Map<string, VolumeAttachment>;

export async function reconcile(name: string, deps: AttachDeps): Promise<Requeue> {
  const persistentVolume = deps.volumes.get(name);
  const volume = persistentVolume && attachableVolume(persistentVolume);
  const attachments: Attachments = new Map();
  const strays: VolumeAttachment[] = [];
  for (const attachment of deps.attachments.byIndex(BY_VOLUME, name)) {
    const { nodeName } = attachment.spec;
    const isOfVolume = volume && attachment.metadata.name === (await attachmentName(volume, nodeName));
    if (isOfVolume) attachments.set(nodeName, attachment);
    // Others' attachments, under names of their own, are theirs.
    else if (isOurName(attachment.metadata.name)) strays.push(attachment);
  }
  const waitsMs = await detachStrays(name, strays, deps);
  if (volume) {
    const pods = isAttachRequired(volume, deps) ? needingPods(persistentVolume, deps) : [];
    const known = { volume, pods, attachments, scope: name };
    const plan = planFor(known, deps);
    await carryOut(plan, known, deps);
    waitsMs.push(plan.recheckAfterMs);
  } else forget(noteKey(name), deps);
  const known = waitsMs.filter((ms) => ms !== undefined);
  return requeueAfter(known.length > 0 ? Math.min(...known) : undefined);
}

/** What a driver says in its CSIDriver; without one, it is. */
const isAttachRequired = ({ driver }: AttachableVolume, { drivers }: AttachDeps): boolean =>
  drivers.get(driver)?.spec.attachRequired !== false;

/**
 * What is left of a volume that was removed by force, or of an earlier one of its name, is detached as any other: where no pod
 * needs it, once it is mounted no more. It is not attached anew, and nobody is told of it.
 * @returns after how many milliseconds to look again, of each
 */
async function detachStrays(
  name: string,
  strays: VolumeAttachment[],
  deps: AttachDeps,
): Promise<(number | undefined)[]> {
  const byVolume = new Map<string, { volume: AttachableVolume; attachments: Attachments }>();
  for (const stray of strays) {
    const { nodeName } = stray.spec;
    const volume = await volumeOfStray(stray, deps.nodes.get(nodeName));
    const scope = `${name}^${volume.uniqueName || stray.metadata.name}`;
    const known = byVolume.get(scope) ?? { volume, attachments: new Map() };
    byVolume.set(scope, { volume, attachments: known.attachments.set(nodeName, stray) });
  }
  const waitsMs: (number | undefined)[] = [];
  const attachedPods = byVolume.size > 0 ? attachedPodsOf(name, deps) : [];
  for (const [scope, { volume, attachments }] of byVolume) {
    const pods = attachedPods.filter(({ nodeName }) => attachments.has(nodeName));
    const known = { volume, pods, attachments, scope };
    const plan = planFor(known, deps);
    const retract = plan.retract.filter((nodeName) => attachments.has(nodeName));
    await carryOut({ ...plan, retract, report: [], overdue: [] }, { ...known, pods: [] }, deps);
    waitsMs.push(plan.recheckAfterMs);
  }
  forget(
    `${noteKey(name).slice(0, -1)}^`,
    deps,
    [...byVolume.keys()].map((scope) => noteKey(scope)),
  );
  return waitsMs;
}

/** @param except the beginnings of notes that are kept */
function forget(prefix: string, { notes }: AttachDeps, except: string[] = []): void {
  for (const [key] of [...notes.list(prefix)]) if (!except.some((kept) => key.startsWith(kept))) notes.delete(key);
}
