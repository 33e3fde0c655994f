import { describe, expect, it } from "vitest";
import type { GroupResource } from "../../../shared/api/group-resource.ts";
import type { KubeObject } from "../../../shared/api/object.ts";
import { prepareForStatusUpdate, strategyFor, validateForCreate, validateForStatusUpdate } from "./index.ts";

const CRON_JOBS = { group: "batch", resource: "cronjobs" };
const DAEMON_SETS = { group: "apps", resource: "daemonsets" };
const DEPLOYMENTS = { group: "apps", resource: "deployments" };
const JOBS = { group: "batch", resource: "jobs" };
const PDBS = { group: "policy", resource: "poddisruptionbudgets" };
const RCS = { group: "", resource: "replicationcontrollers" };
const RUNTIME_CLASSES = { group: "node.k8s.io", resource: "runtimeclasses" };
const STATEFUL_SETS = { group: "apps", resource: "statefulsets" };

const object = (fields: object, metadata: object = {}): KubeObject => ({
  apiVersion: "v1",
  kind: "X",
  metadata: { name: "x", namespace: "ns", ...metadata },
  ...fields,
});
const template = (env: object[] = [], labels = { a: "b" }) => ({
  metadata: { labels },
  spec: { containers: [{ name: "c", image: "i", env }] },
});
const twice = [
  { name: "A", value: "1" },
  { name: "A", value: "2" },
];
const TWICE =
  'spec.template.spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply';

describe("a write of a status", () => {
  const written = (of: GroupResource, sent: KubeObject, old: KubeObject) => {
    const strategy = strategyFor(of);
    prepareForStatusUpdate(strategy, sent, old, 0);
    return sent.metadata;
  };

  it.each([
    { kind: "replication controller", of: RCS },
    { kind: "job", of: JOBS },
  ])("gives a $kind without labels those of the stored template", ({ of }) => {
    const old = object({ spec: { template: template() } }, { labels: { kept: "no" } });
    expect(written(of, object({}), old).labels).toEqual({ a: "b" });
    expect(written(of, object({}, { labels: { mine: "x" } }), old).labels).toEqual({ mine: "x" });
  });

  it("leaves the generation of a daemon set's template", () => {
    const generation = (text: string) => ({ annotations: { "deprecated.daemonset.template.generation": text } });
    const old = object({ spec: { template: template() } }, generation("3"));
    expect(written(DAEMON_SETS, object({}, generation("0")), old).annotations).toEqual(generation("3").annotations);
  });

  it("has the metadata of a cron job checked once, that of others twice", () => {
    const old = object({}, { resourceVersion: "1" });
    const bad = object({}, { resourceVersion: "1", annotations: { "": "x" } });
    const causes = (of: GroupResource) => validateForStatusUpdate(strategyFor(of), bad, old, true).length;
    expect(causes(DEPLOYMENTS)).toBeGreaterThan(causes(CRON_JOBS));
  });
});

describe("metadata of a new object", () => {
  const causes = (of: GroupResource, metadata: object) =>
    validateForCreate(strategyFor(of), object({ spec: { template: template() }, handler: "h" }, metadata), true)
      .map(({ field, message }) => `${field}: ${message}`)
      .filter((text) => text.startsWith("metadata."));

  it.each([
    { name: "a budget may have any name of a path", of: PDBS, metadata: { name: "Not_DNS" }, want: [] },
    {
      name: "and no other",
      of: PDBS,
      metadata: { name: "a/b" },
      want: [`metadata.name: Invalid value: "a/b": may not contain '/'`],
    },
    { name: "and any finalizer", of: PDBS, metadata: { finalizers: ["mine"] }, want: [] },
    { name: "so may a runtime class", of: RUNTIME_CLASSES, metadata: { finalizers: ["mine"] }, want: [] },
    {
      name: "others have finalizers of a domain",
      of: DEPLOYMENTS,
      metadata: { finalizers: ["mine"] },
      want: [expect.stringContaining("neither a standard finalizer name")],
    },
    { name: "a controller's prefix is free", of: RCS, metadata: { generateName: "UPPER" }, want: [] },
    {
      name: "its name is not",
      of: RCS,
      metadata: { name: "UPPER" },
      want: [expect.stringContaining("a lowercase RFC 1123 subdomain")],
    },
  ])("$name", ({ of, metadata, want }) => expect(causes(of, metadata)).toEqual(want));
});

describe("warnings of an update", () => {
  const warnings = (of: GroupResource, spec: object, oldSpec: object) =>
    strategyFor(of).warnings?.(object({ spec }), object({ spec: oldSpec }));

  it.each([
    {
      name: "tell of an old template, when the spec changes",
      of: DEPLOYMENTS,
      changed: { replicas: 2 },
      want: [TWICE],
    },
    { name: "are none when nothing changes", of: DEPLOYMENTS, changed: {}, want: [] },
    { name: "of a daemon set follow its template alone", of: DAEMON_SETS, changed: { minReadySeconds: 2 }, want: [] },
  ])("$name", ({ of, changed, want }) => {
    const spec = { template: template(twice) };
    expect(warnings(of, { ...spec, ...changed }, spec)).toEqual(want);
  });

  it("are of the template that was there, for a replication controller", () => {
    const [good, bad] = [{ template: template() }, { template: template(twice) }];
    expect(warnings(RCS, good, bad)).toEqual([TWICE]);
    expect(warnings(RCS, bad, good)).toEqual([]);
  });

  it("tell of fractional storage in a stateful set's claims", () => {
    const spec = { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "10500m" } } } }] };
    expect(warnings(STATEFUL_SETS, spec, {})).toEqual([
      'spec.volumeClaimTemplates[0].Spec.resources.requests[storage]: fractional byte value "10500m" is invalid, must be an integer',
    ]);
  });
});

describe("values", () => {
  const causes = (of: GroupResource, fields: object) =>
    strategyFor(of)
      .validate?.(object(fields))
      .map(({ field, message }) => `${field}: ${message}`);

  it("a metric of containers names a resource that they have", () => {
    const metrics = [
      {
        type: "ContainerResource",
        containerResource: { name: "pods", container: "c", target: { type: "Utilization", averageUtilization: 1 } },
      },
    ];
    const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "/v1" };
    expect(
      causes(
        { group: "autoscaling", resource: "horizontalpodautoscalers" },
        { spec: { maxReplicas: 1, scaleTargetRef, metrics } },
      ),
    ).toEqual([
      'spec.scaleTargetRef.apiVersion: Invalid value: "/v1": apiVersion must specify API group',
      'spec.metrics[0].containerResource.name: Invalid value: "pods": must be a standard resource for containers',
    ]);
  });

  it("a selector of a replication controller that is none misses the template", () => {
    expect(causes(RCS, { spec: { selector: { "Bad key!": "x" }, template: template() } })?.[0]).toBe(
      'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`',
    );
  });

  it("a runtime class has resources of containers, and no toleration twice", () => {
    const toleration = { key: "k", operator: "Exists" };
    const scheduling = { tolerations: [toleration, { ...toleration, tolerationSeconds: undefined }] };
    const overhead = { podFixed: { pods: "1" } };
    expect(causes(RUNTIME_CLASSES, { handler: "h", overhead, scheduling })).toEqual([
      'overhead.limits[pods]: Invalid value: "pods": must be a standard resource for containers',
      expect.stringMatching(/^scheduling\.tolerations\[1\]: Duplicate value: \{"Key":"k","Operator":"Exists"/),
    ]);
  });
});
