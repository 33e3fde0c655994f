/**
 * Two API versions that are views of one stored object: autoscaling v1 over v2, events.k8s.io/v1 over core/v1. A body
 * is converted as soon as it is decoded, an object just before it is answered; all in between (admission, strategies,
 * stores, selectors) knows the stored form alone.
 */
import type { KubeObject } from "../../../shared/api/object.ts";
import type { ResourceFacts } from "../../../shared/schema/index.ts";
import { eventFromStored, eventToStored } from "./event.ts";
import { hpaFromStored, hpaToStored } from "./horizontal-pod-autoscaler.ts";

interface View {
  fromStored(object: KubeObject): KubeObject;
  toStored(object: KubeObject): KubeObject;
}

const VIEWS: Record<string, View> = {
  "events.k8s.io/events": { fromStored: eventFromStored, toStored: eventToStored },
  "autoscaling/horizontalpodautoscalers": { fromStored: hpaFromStored, toStored: hpaToStored },
};

function viewOf(facts: ResourceFacts): View | undefined {
  if (!facts.storedAs) return undefined;
  const view = VIEWS[`${facts.group}/${facts.resource}`];
  if (!view) throw new Error(`no conversion for ${facts.resource}.${facts.group}/${facts.version}`);
  return view;
}

/** The stored form as the version of `facts` shows it; the object may be changed in place. */
export const fromStored = (facts: ResourceFacts, object: KubeObject): KubeObject =>
  viewOf(facts)?.fromStored(object) ?? object;

/** The form that is stored; the object may be changed in place. Its typeMeta is of no account. */
export const toStored = (facts: ResourceFacts, object: KubeObject): KubeObject =>
  viewOf(facts)?.toStored(object) ?? object;
