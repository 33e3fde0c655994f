import type { FieldCase } from "./run.ts";

/** Applies of single values, and of what several served versions show in their own way. */
export const VERSION_CASES: FieldCase[] = [
  {
    name: "a whole of objects, written in one version and taken in another",
    field: "metrics",
    steps: [
      {
        by: "a",
        apply: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
      },
      {
        by: "b",
        apply: [
          { type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.metrics'] },
      },
    ],
  },
  {
    name: "a number shared, then given to the autoscaler",
    field: "replicas",
    steps: [
      { by: "a", apply: 0 },
      { by: "b", apply: 0 },
      { by: "a", apply: undefined, after: { value: 0, owners: { b: ["."], a: ["."] } } },
    ],
  },
  {
    name: "left out, the default is nobody's",
    field: "replicas",
    steps: [
      { by: "a", apply: 0 },
      { by: "a", apply: undefined, after: { value: 0, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a zero is a value",
    field: "minReadySeconds",
    steps: [
      { by: "a", apply: 0 },
      {
        by: "b",
        apply: 1,
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.minReadySeconds'] },
      },
    ],
  },
  {
    name: "a text changed by an update of its own manager",
    field: "dnsPolicy",
    steps: [
      { by: "a", apply: "Default" },
      { by: "a", update: "ClusterFirst", after: { value: "ClusterFirst", owners: { "a by update": ["."] } } },
    ],
  },
  {
    name: "a text by force, back by force",
    field: "dnsPolicy",
    steps: [
      { by: "a", apply: "Default" },
      { by: "b", apply: "ClusterFirst", force: true },
      { by: "a", apply: "Default", force: true, after: { value: "Default", owners: { a: ["."] } } },
    ],
  },
  {
    name: "applied in v1, then left out in v2",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      { by: "a", apply: undefined, after: { value: 1, owners: {} } },
    ],
  },
  {
    name: "applied in v1, another value in v2 by another",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      {
        by: "b",
        apply: 3,
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.minReplicas'] },
      },
    ],
  },
  {
    name: "updated in v1, applied in v2",
    field: "minReplicas",
    steps: [
      { by: "u", create: 2, version: "v1" },
      {
        by: "a",
        apply: 3,
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "u" using autoscaling/v1: .spec.minReplicas'],
        },
      },
    ],
  },
  {
    name: "applied in v2, updated in v1",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2 },
      { by: "u", merge: { minReplicas: 3 }, version: "v1", after: { value: 3, owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "applied by one in both versions",
    field: "minReplicas",
    steps: [
      { by: "a", apply: 2, version: "v1" },
      { by: "a", apply: 2, after: { value: 2, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a field of one version is another in the other",
    field: "targetCPU",
    steps: [
      { by: "a", apply: 50 },
      {
        by: "b",
        apply: 60,
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.targetCPUUtilizationPercentage'],
        },
      },
    ],
  },
  {
    name: "a field of v1 changed through v2",
    field: "targetCPU",
    steps: [
      { by: "a", apply: 50 },
      {
        by: "u",
        merge: {
          metrics: [
            { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 70 } } },
          ],
        },
        version: "v2",
        after: { owners: {} },
      },
    ],
  },
  {
    name: "a field that the other version keeps in an annotation",
    field: "behavior",
    steps: [
      { by: "a", apply: { scaleDown: { stabilizationWindowSeconds: 60 } } },
      {
        by: "u",
        merge: { minReplicas: 2 },
        version: "v1",
        after: { owners: { "a in autoscaling/v2": [".scaleDown.stabilizationWindowSeconds"] } },
      },
    ],
  },
  {
    name: "a field that the other version keeps in an annotation, left out",
    field: "behavior",
    steps: [
      { by: "a", apply: { scaleDown: { stabilizationWindowSeconds: 60 } } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
];
