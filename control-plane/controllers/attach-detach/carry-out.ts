import { NODES, VOLUME_ATTACHMENTS } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type { VolumeAttachment } from "../../../shared/api/types.ts";
import type { Plan } from "./decide.ts";
import { type AttachDeps, type Known, noteKey } from "./deps.ts";
import { tellOfTrouble, tellPods } from "./trouble.ts";
import { type AttachableVolume, attachmentName } from "./volume.ts";

/** Takes the steps of a plan: what fails is thrown, and tried again after another look. */
export async function carryOut(plan: Plan, known: Known, deps: AttachDeps): Promise<void> {
  const { volume, pods, attachments, scope } = known;
  const { api, notes, clock } = deps;
  const podsOn = (nodeName: string) => pods.filter((pod) => pod.nodeName === nodeName);
  for (const nodeName of plan.waitToDetach) notes.put(noteKey(scope, nodeName), clock.nowMs());
  // What the node no longer says is not mounted any more: only then may it be taken away.
  for (const nodeName of plan.retract) await saySo(nodeName, volume, false, deps);
  for (const nodeName of plan.detach) {
    const { name, uid } = attachments.get(nodeName)!.metadata;
    await api.delete(VOLUME_ATTACHMENTS, { name }, { uid }).catch(ignore(isNotFound));
  }
  for (const nodeName of plan.forget) notes.delete(noteKey(scope, nodeName));
  for (const nodeName of plan.attach) await attach(volume, nodeName, deps);
  for (const nodeName of plan.report) {
    await saySo(nodeName, volume, true, deps);
    tellPods(podsOn(nodeName), "Normal", `AttachVolume.Attach succeeded for volume "${volume.name}" `, deps);
  }
  tellOfTrouble(plan, known, deps);
}

async function attach(volume: AttachableVolume, nodeName: string, { api }: AttachDeps): Promise<void> {
  if (volume.isExclusive) {
    // The cache may be behind, and two nodes that write to one disk destroy it.
    const { items } = await api.listAll<VolumeAttachment>(VOLUME_ATTACHMENTS, {});
    const isOther = ({ spec }: VolumeAttachment) =>
      spec.source.persistentVolumeName === volume.name && spec.nodeName !== nodeName;
    const other = items.find(isOther);
    if (other) throw new Error(`${volume.name} is being attached to ${other.spec.nodeName}`);
  }
  const name = await attachmentName(volume, nodeName);
  const spec = { attacher: volume.driver, nodeName, source: { persistentVolumeName: volume.name } };
  try {
    await api.create(VOLUME_ATTACHMENTS, { metadata: { name }, spec });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    // Two volumes with one handle have one name: what is left of the other goes first.
    const there = await api.get<VolumeAttachment>(VOLUME_ATTACHMENTS, name);
    const other = there.spec.source.persistentVolumeName;
    if (other !== volume.name) throw new Error(`${name} is of the volume ${other} still`);
  }
}

/** Adds the volume to those that the node's status says are attached, or takes it out. @throws on a conflict */
async function saySo(nodeName: string, volume: AttachableVolume, isAttached: boolean, deps: AttachDeps): Promise<void> {
  const node = deps.nodes.get(nodeName);
  if (!node) return;
  const others = (node.status?.volumesAttached ?? []).filter(({ name }) => name !== volume.uniqueName);
  const volumesAttached = isAttached ? [...others, { name: volume.uniqueName, devicePath: "" }] : others;
  const { uid, resourceVersion } = node.metadata;
  const patch = { metadata: { uid, resourceVersion }, status: { volumesAttached } };
  await deps.api.patch(NODES, { name: nodeName, subresource: "status" }, "merge", patch).catch(ignore(isNotFound));
}

const ignore = (isExpected: (error: unknown) => boolean) => (error: unknown) => {
  if (!isExpected(error)) throw error;
};
