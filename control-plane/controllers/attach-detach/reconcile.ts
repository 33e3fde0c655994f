import { NODES, VOLUME_ATTACHMENTS } from "../../../shared/api/refs.ts";
import { isAlreadyExists, isNotFound } from "../../../shared/api/status.ts";
import type {
  CSIDriver,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  VolumeAttachment,
} from "../../../shared/api/types.ts";
import {
  type ControllerDeps,
  done,
  type Informer,
  type LruMap,
  parseTime,
  type Requeue,
  requeueAfter,
} from "../../runtime/index.ts";
import { isReady } from "../node-state.ts";
import { podUsesClaim } from "../pvc-protection/decide.ts";
import { decide, multiAttachMessage, type NeedingPod, type Plan, type VolumeNode } from "./decide.ts";
import { isManaged, isOutOfService } from "./node.ts";
import { hasEnded } from "./pod.ts";
import { type AttachableVolume, attachableVolume, attachmentName } from "./volume.ts";

/** Index of pods by their claims' keys; the controller that protects claims has the same. */
export const BY_CLAIM = "claim";
/** Index of attachments by the PersistentVolume, and of nodes by the volumes that they say are attached. */
export const BY_VOLUME = "volume";

export interface AttachDeps extends ControllerDeps {
  pods: Informer<Pod>;
  claims: Informer<PersistentVolumeClaim>;
  volumes: Informer<PersistentVolume>;
  attachments: Informer<VolumeAttachment>;
  drivers: Informer<CSIDriver>;
  nodes: Informer<Node>;
  /** What pods were told last, by volume and node: an event is for news. Lost with the memory, it is told once more. */
  told: LruMap<string, string>;
}

export async function reconcile(name: string, deps: AttachDeps): Promise<Requeue> {
  const { volumes, log, clock, notes } = deps;
  const noted = new Map(
    [...notes.list<number>(noteKey(name))].map(([key, ms]) => [key.slice(noteKey(name).length), ms]),
  );
  const persistentVolume = volumes.get(name);
  const volume = persistentVolume && attachableVolume(persistentVolume);
  if (!volume) {
    for (const nodeName of noted.keys()) notes.delete(noteKey(name, nodeName));
    return done;
  }
  const pods = isAttachRequired(volume, deps) ? needingPods(persistentVolume, deps) : [];
  const attachments = new Map<string, VolumeAttachment>();
  for (const attachment of deps.attachments.byIndex(BY_VOLUME, name)) {
    const { nodeName } = attachment.spec;
    // Others' attachments, under names of their own, are theirs.
    if (attachment.metadata.name === (await attachmentName(volume, nodeName))) attachments.set(nodeName, attachment);
  }
  const plan = decide({
    isExclusive: volume.isExclusive,
    pods,
    attachments: [...attachments].map(([nodeName, { metadata, status }]) => ({
      nodeName,
      isAttached: status?.attached === true,
      createdMs: parseTime(metadata.creationTimestamp),
      isGoing: metadata.deletionTimestamp !== undefined,
    })),
    nodes: nodesOf(volume, [...attachments.keys(), ...pods.map(({ nodeName }) => nodeName)], noted, deps),
    nowMs: clock.nowMs(),
  });
  if (Object.values(plan).some((part) => Array.isArray(part) && part.length > 0)) {
    log.info("attach-detach plan", { volume: name, plan });
  }
  await carryOut(plan, { volume, pods, attachments }, deps);
  return requeueAfter(plan.recheckAfterMs);
}

/** What a driver says in its CSIDriver; without one, it is. */
const isAttachRequired = ({ driver }: AttachableVolume, { drivers }: AttachDeps): boolean =>
  drivers.get(driver)?.spec.attachRequired !== false;

/** The pods that need the volume on a node which leaves attaching to this controller; oldest first. */
function needingPods({ metadata, spec }: PersistentVolume, { claims, pods, nodes }: AttachDeps): NeedingPod[] {
  const key = `${spec?.claimRef?.namespace}/${spec?.claimRef?.name}`;
  const claim = claims.get(key);
  const isBound = claim?.spec?.volumeName === metadata.name && claim.status?.phase === "Bound";
  if (!isBound || claim.metadata.uid !== spec?.claimRef?.uid) return [];
  const needs = (pod: Pod) => {
    const node = nodes.get(pod.spec.nodeName ?? "");
    return node !== undefined && isManaged(node) && podUsesClaim(pod, claim) && !hasEnded(pod);
  };
  const createdAt = ({ metadata }: Pod) => `${metadata.creationTimestamp} ${metadata.name}`;
  return pods
    .byIndex(BY_CLAIM, key)
    .filter(needs)
    .sort((a, b) => (createdAt(a) < createdAt(b) ? -1 : 1))
    .map(({ metadata, spec }) => ({
      name: metadata.name,
      namespace: metadata.namespace ?? "",
      uid: metadata.uid,
      nodeName: spec.nodeName ?? "",
    }));
}

/** @param noted since when nodes have not needed it */
function nodesOf(
  { uniqueName }: AttachableVolume,
  names: string[],
  noted: ReadonlyMap<string, number>,
  { nodes }: AttachDeps,
): Map<string, VolumeNode> {
  const reporting = nodes.byIndex(BY_VOLUME, uniqueName).map(({ metadata }) => metadata.name);
  return new Map(
    [...names, ...reporting, ...noted.keys()].map((nodeName) => {
      const node = nodes.get(nodeName);
      const facts: VolumeNode = {
        isInUse: node?.status?.volumesInUse?.includes(uniqueName) ?? node === undefined,
        isHealthy: node !== undefined && isReady(node),
        isOutOfService: node !== undefined && isOutOfService(node),
        isReported: reporting.includes(nodeName),
        unneededSinceMs: noted.get(nodeName),
      };
      return [nodeName, facts];
    }),
  );
}

/** Of all nodes: what the keys begin with. */
const noteKey = (volume: string, nodeName = "") => `attach-detach/${volume}/${nodeName}`;

interface Known {
  volume: AttachableVolume;
  pods: NeedingPod[];
  attachments: ReadonlyMap<string, VolumeAttachment>;
}

async function carryOut(plan: Plan, { volume, pods, attachments }: Known, deps: AttachDeps): Promise<void> {
  const { api, notes, clock } = deps;
  const podsOn = (nodeName: string) => pods.filter((pod) => pod.nodeName === nodeName);
  for (const nodeName of plan.waitToDetach) notes.put(noteKey(volume.name, nodeName), clock.nowMs());
  // What the node no longer says is not mounted any more: only then may it be taken away.
  for (const nodeName of plan.retract) await saySo(nodeName, volume, false, deps);
  for (const nodeName of plan.detach) {
    const { name, uid } = attachments.get(nodeName)!.metadata;
    await api.delete(VOLUME_ATTACHMENTS, { name }, { uid }).catch(ignore(isNotFound));
  }
  for (const nodeName of plan.forget) notes.delete(noteKey(volume.name, nodeName));
  for (const nodeName of plan.attach) await attach(volume, nodeName, deps);
  for (const nodeName of plan.report) {
    await saySo(nodeName, volume, true, deps);
    tellPods(podsOn(nodeName), "Normal", `AttachVolume.Attach succeeded for volume "${volume.name}" `, deps);
  }
  tellOfTrouble(plan, { volume, pods, attachments }, deps);
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
  await api.create(VOLUME_ATTACHMENTS, { metadata: { name }, spec }).catch(ignore(isAlreadyExists));
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

/** Nodes that are refused, and attachments that fail or take too long, are told to the pods there, once for each news. */
function tellOfTrouble(plan: Plan, known: Known, deps: AttachDeps): void {
  for (const nodeName of new Set(known.pods.map((pod) => pod.nodeName))) {
    const key = `${known.volume.name}/${nodeName}`;
    const trouble = troubleOn(nodeName, plan, known);
    if (!trouble) deps.told.delete(key);
    else if (deps.told.get(key) !== trouble.news) {
      deps.told.set(key, trouble.news);
      for (const pod of known.pods.filter((each) => each.nodeName === nodeName)) {
        tellPods([pod], "Warning", trouble.messageTo(pod), deps);
      }
    }
  }
}

interface Trouble {
  /** Differs as often as there is something to be told. */
  news: string;
  messageTo(pod: NeedingPod): string;
}

function troubleOn(nodeName: string, plan: Plan, { volume, pods, attachments }: Known): Trouble | undefined {
  if (plan.refused.includes(nodeName)) {
    const users = pods.filter((pod) => pod.nodeName !== nodeName && attachments.has(pod.nodeName));
    return { news: "refused", messageTo: (pod) => multiAttachMessage(volume.name, pod, users) };
  }
  const failed = (why: string) => () => `AttachVolume.Attach failed for volume "${volume.name}" : ${why}`;
  const { attached, attachError } = attachments.get(nodeName)?.status ?? {};
  if (attachError && !attached) {
    return { news: `${attachError.time} ${attachError.message}`, messageTo: failed(attachError.message ?? "") };
  }
  const overdue = plan.overdue.find((late) => late.nodeName === nodeName);
  if (!overdue) return undefined;
  const why = `timed out waiting for external-attacher of ${volume.driver} CSI driver to attach volume ${volume.handle}`;
  return { news: `overdue ${overdue.times}`, messageTo: failed(why) };
}

function tellPods(pods: NeedingPod[], type: "Normal" | "Warning", message: string, { events }: AttachDeps): void {
  const reason = type === "Normal" ? "SuccessfulAttachVolume" : "FailedAttachVolume";
  for (const { name, namespace, uid } of pods) {
    events.event({ apiVersion: "v1", kind: "Pod", name, namespace, uid }, type, reason, message);
  }
}

const ignore = (isExpected: (error: unknown) => boolean) => (error: unknown) => {
  if (!isExpected(error)) throw error;
};
