import type { Json, JsonObject } from "../../../shared/api/json.ts";
import type { Schema } from "../../../shared/schema/model.ts";
import type { Resolve } from "./path-element.ts";

/**
 * Fields that are structs by value in upstream's Go types: they are there, empty, in an object of which nothing has
 * been set, so that setting something inside them does not make the field itself owned (`f:spec` without a `.`).
 */
const STRUCTS_BY_VALUE = new Set([
  "metadata",
  "spec",
  "status",
  "template",
  "strategy",
  "updateStrategy",
  "jobTemplate",
  "loadBalancer",
  "involvedObject",
  "regarding",
  "source",
  "roleRef",
  "scaleTargetRef",
  "devices",
  "nodeInfo",
  "daemonEndpoints",
  "kubeletEndpoint",
  "podSelector",
  "priorityLevelConfiguration",
]);

/** Where the name alone does not tell, by the definition that has the field: what an unset one holds; undefined: nothing. */
const ZERO_VALUES: Record<string, Record<string, Json | undefined>> = {
  "io.k8s.api.core.v1.ReplicationControllerSpec": { template: undefined },
  "io.k8s.api.core.v1.PersistentVolumeClaimSpec": { resources: {} },
  "io.k8s.api.core.v1.Event": {
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  "io.k8s.api.events.v1.Event": {
    eventTime: null,
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
    deprecatedSource: {},
  },
  "io.k8s.api.discovery.v1.EndpointSlice": { endpoints: null, ports: null },
  "io.k8s.api.core.v1.Binding": { target: {} },
  "io.k8s.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec": { validationActions: undefined },
};

/**
 * The object that a create is compared with: nothing set, but what a Go struct has anyway.
 * @param name of the schema, as far as it is known
 */
export function zeroObject(schema: Schema | undefined, resolve: Resolve, name = schema?.$ref): JsonObject {
  const zero: JsonObject = {};
  const resolved = schema && resolve(schema);
  const special = ZERO_VALUES[name ?? ""] ?? {};
  for (const [field, fieldSchema] of Object.entries(resolved?.properties ?? {})) {
    const value = field in special ? special[field] : zeroValue(field, fieldSchema, resolved!, resolve);
    if (value !== undefined) zero[field] = value;
  }
  return zero;
}

function zeroValue(name: string, field: Schema, owner: Schema, resolve: Resolve): Json | undefined {
  const type = resolve(field);
  if (STRUCTS_BY_VALUE.has(name) && type.properties) return zeroObject(field, resolve);
  const isCollection = type.type === "array" || type.additionalProperties !== undefined;
  return isCollection && owner.required?.includes(name) ? null : undefined;
}
