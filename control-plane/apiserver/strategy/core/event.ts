import { FIELD_IMMUTABLE, invalidEach, invalidValue, required } from "../../../../shared/api/field-error.ts";
import { checkDns1123Subdomain, checkQualifiedName } from "../../../../shared/api/names.ts";
import { validateObjectMeta } from "../../../../shared/api/object-meta.ts";
import type { StatusCause } from "../../../../shared/api/status.ts";
import type { Event } from "../../../../shared/api/types.ts";
import { isEqual } from "../equality.ts";
import { validateStandardFinalizers } from "../finalizers.ts";
import { type InternalType, renderInternal } from "../internal-form/index.ts";
import type { Strategy } from "../strategy.ts";

const MAX_TEXT = 128;
const MAX_MESSAGE = 1024;

const NAMESPACE_MISMATCH = "does not match event.namespace";

/** Events are checked little, as they must get through: old ones for their namespace, new ones for their reporter too. */
const validate = (event: Event) => checkEvent(event, "reportingComponent");

/** @param reporter the name that the request's version has for `reportingComponent` */
function checkEvent(event: Event, reporter: string): StatusCause[] {
  const { metadata, involvedObject, eventTime } = event;
  const namespace = metadata.namespace ?? "";
  const about = involvedObject?.namespace ?? "";
  const causes: StatusCause[] = [];
  const mismatch = () => causes.push(invalidValue("involvedObject.namespace", about, NAMESPACE_MISMATCH));
  if (!eventTime) {
    if (about === "" ? namespace !== "" && namespace !== "default" : namespace !== about) mismatch();
  } else {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") mismatch();
    const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
    if (reportingComponent === "") causes.push(required(reporter));
    causes.push(...invalidEach(reporter, reportingComponent, checkQualifiedName(reportingComponent)));
    const bounded = (field: string, value: string, max: number, needed = true) => {
      if (needed && value === "") causes.push(required(field));
      if (value.length > max) causes.push(invalidValue(field, "", `can have at most ${max} characters`));
    };
    bounded("reportingInstance", reportingInstance, MAX_TEXT);
    bounded("action", action, MAX_TEXT);
    bounded("reason", reason, MAX_TEXT);
    bounded("message", message, MAX_MESSAGE, false);
  }
  return [...causes, ...invalidEach("namespace", namespace, checkDns1123Subdomain(namespace))];
}

function checkSeries({ series }: Event): StatusCause[] {
  if (!series) return [];
  const causes = (series.count ?? 0) < 2 ? [invalidValue("series.count", "", "should be at least 2")] : [];
  if (!series.lastObservedTime) causes.push(required("series.lastObservedTime"));
  return causes;
}

/** Further rules of events that are written as events.k8s.io/v1; `event` is its core form. */
function validateNewEvent(event: Event): StatusCause[] {
  const causes = [
    ...checkEvent(event, "reportingController"),
    ...validateObjectMeta(event.metadata, { namespaced: true }),
    ...validateStandardFinalizers(event.metadata),
    ...checkSeries(event),
  ];
  if (!event.eventTime) causes.push(required("eventTime"));
  if (event.type !== "Normal" && event.type !== "Warning") {
    causes.push(invalidValue("type", "", `has invalid value: ${event.type ?? ""}`));
  }
  const unset = (field: string, isSet: boolean) => {
    if (isSet) causes.push(invalidValue(field, "", "needs to be unset"));
  };
  unset("firstTimestamp", !!event.firstTimestamp);
  unset("lastTimestamp", !!event.lastTimestamp);
  unset("count", !!event.count);
  unset("source", !!event.source?.component || !!event.source?.host);
  return causes;
}

const FIXED: [keyof Event, string, unknown, InternalType?][] = [
  ["involvedObject", "involvedObject", {}, "ObjectReference"],
  ["reason", "reason", ""],
  ["message", "message", ""],
  ["source", "source", {}, "EventSource"],
  ["firstTimestamp", "firstTimestamp", null],
  ["lastTimestamp", "lastTimestamp", null],
  ["count", "count", 0],
  ["reason", "reason", ""],
  ["type", "type", ""],
  ["eventTime", "eventTime", null],
  ["action", "action", ""],
  ["related", "related", null, "ObjectReference"],
  ["reportingComponent", "reportingController", ""],
  ["reportingInstance", "reportingInstance", ""],
];

/** An event of the new API is a fact: only its series grows. */
function validateNewEventUpdate(event: Event, old: Event): StatusCause[] {
  const causes = checkEvent(event, "reportingController");
  if (!isEqual(event.series, old.series)) causes.push(...checkSeries(event));
  for (const [name, field, empty, type] of FIXED) {
    const value = event[name] ?? empty;
    if (isEqual(value, old[name] ?? empty)) continue;
    causes.push(invalidValue(field, type && value !== null ? renderInternal(value, type) : value, FIELD_IMMUTABLE));
  }
  return causes;
}

export const EVENT_STRATEGY: Strategy<Event> = {
  allowsAnyFinalizer: true,
  checksMetaLast: true,
  checksMetaUpdateOnce: true,
  validate,
  fields: (event) => {
    const about = event.involvedObject ?? {};
    return {
      "involvedObject.kind": about.kind ?? "",
      "involvedObject.namespace": about.namespace ?? "",
      "involvedObject.name": about.name ?? "",
      "involvedObject.uid": about.uid ?? "",
      "involvedObject.apiVersion": about.apiVersion ?? "",
      "involvedObject.resourceVersion": about.resourceVersion ?? "",
      "involvedObject.fieldPath": about.fieldPath ?? "",
      reason: event.reason ?? "",
      reportingComponent: event.reportingComponent ?? "",
      source: event.source?.component || event.reportingComponent || "",
      type: event.type ?? "",
    };
  },
  allowCreateOnUpdate: true,
};

/** Of events that are written through events.k8s.io, which asks for more. */
export const NEW_EVENT_STRATEGY: Strategy<Event> = {
  ...EVENT_STRATEGY,
  allowsAnyFinalizer: false,
  checksMetaUpdateOnce: false,
  validate: validateNewEvent,
  validateUpdate: validateNewEventUpdate,
};
