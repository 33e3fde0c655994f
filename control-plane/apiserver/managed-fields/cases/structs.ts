import type { FieldCase } from "./run.ts";

/** Applies of structs, and of what has no schema. */
export const STRUCT_CASES: FieldCase[] = [
  {
    name: "members of a struct have owners of their own",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1 } },
      {
        by: "b",
        apply: { runAsGroup: 2 },
        after: { value: { runAsUser: 1, runAsGroup: 2 }, owners: { a: [".runAsUser"], b: [".runAsGroup"] } },
      },
    ],
  },
  {
    name: "a member conflicts by its path",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "b",
        apply: { runAsUser: 2 },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .template.spec.securityContext.runAsUser'],
        },
      },
    ],
  },
  {
    name: "a struct in the struct",
    field: "securityContext",
    steps: [
      { by: "a", apply: { seccompProfile: { type: "RuntimeDefault" } } },
      {
        by: "b",
        apply: { seLinuxOptions: { level: "s0" } },
        after: {
          value: { seLinuxOptions: { level: "s0" }, seccompProfile: { type: "RuntimeDefault" } },
          owners: { a: [".seccompProfile.type"], b: [".seLinuxOptions.level"] },
        },
      },
    ],
  },
  {
    name: "a member goes, the rest stays",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1, fsGroup: 3 } },
      { by: "a", apply: { fsGroup: 3 }, after: { value: { fsGroup: 3 }, owners: { a: [".fsGroup"] } } },
    ],
  },
  {
    name: "an empty struct",
    field: "securityContext",
    steps: [
      { by: "a", apply: {} },
      { by: "b", apply: { runAsUser: 1 }, after: { value: { runAsUser: 1 }, owners: { a: ["."], b: [".runAsUser"] } } },
    ],
  },
  {
    name: "an unknown member",
    field: "securityContext",
    steps: [
      {
        by: "a",
        apply: { colour: "red" },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.securityContext.colour: field not declared in schema",
          ],
        },
      },
    ],
  },
  {
    name: "a float where a whole number is",
    field: "securityContext",
    steps: [
      {
        by: "a",
        apply: { runAsUser: 1.5 },
        after: {
          refused: [
            500,
            "failed to convert new object (/case; /v1, Kind=PodTemplate) to proper version: unable to convert unstructured object to /v1, Kind=PodTemplate: cannot convert float64 to int64",
          ],
        },
      },
    ],
  },
  {
    name: "a struct given up while another has a member of it",
    field: "securityContext",
    steps: [
      { by: "a", apply: { runAsUser: 1 } },
      { by: "b", apply: { runAsGroup: 1 } },
      { by: "a", apply: undefined, after: { value: { runAsGroup: 1 }, owners: { b: [".runAsGroup"] } } },
    ],
  },
  {
    name: "deep structs",
    field: "lifecycle",
    steps: [
      { by: "a", apply: { preStop: { exec: { command: ["x"] } } } },
      {
        by: "b",
        apply: { postStart: { exec: { command: ["y"] } } },
        after: {
          value: { postStart: { exec: { command: ["y"] } }, preStop: { exec: { command: ["x"] } } },
          owners: { a: [".preStop.exec.command"], b: [".postStart.exec.command"] },
        },
      },
    ],
  },
  {
    name: "a list in a deep struct is a whole",
    field: "lifecycle",
    steps: [
      { by: "a", apply: { preStop: { exec: { command: ["x"] } } } },
      {
        by: "b",
        apply: { preStop: { exec: { command: ["y"] } } },
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].lifecycle.preStop.exec.command',
          ],
        },
      },
    ],
  },
  {
    name: "an atomic struct is a whole",
    field: "label selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "x" }, matchExpressions: [{ key: "app", operator: "Exists" }] },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.selector'] },
      },
    ],
  },
  {
    name: "an atomic struct is shared whole",
    field: "label selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "x" } },
        after: { value: { matchLabels: { app: "x" } }, owners: { b: ["."], a: ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct taken by a merge patch",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "u",
        merge: { selector: { matchLabels: { tier: "y" } } },
        after: { value: { matchLabels: { app: "x", tier: "y" } }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct taken by force",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      {
        by: "b",
        apply: { matchLabels: { app: "y" } },
        force: true,
        after: { value: { matchLabels: { app: "y" } }, owners: { b: ["."] } },
      },
    ],
  },
  {
    name: "an atomic struct left out",
    field: "budget selector",
    steps: [
      { by: "a", apply: { matchLabels: { app: "x" } } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "an unknown member within a whole",
    field: "budget selector",
    steps: [
      {
        by: "a",
        apply: { matchLabels: { app: "x" }, colour: "red" },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; policy/v1, Kind=PodDisruptionBudget): .spec.selector.colour: field not declared in schema",
          ],
        },
      },
    ],
  },
  {
    name: "a reference is a whole",
    field: "roleRef",
    steps: [
      { by: "a", apply: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } },
      {
        by: "b",
        apply: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "y" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .roleRef'] },
      },
    ],
  },
  {
    name: "the members of a union",
    field: "strategy",
    steps: [
      { by: "a", apply: { type: "Recreate" } },
      {
        by: "b",
        apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.strategy.type'] },
      },
    ],
  },
  {
    name: "int or string",
    field: "strategy",
    steps: [
      { by: "a", apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "b",
        apply: { type: "RollingUpdate", rollingUpdate: { maxSurge: "1" } },
        after: {
          refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.strategy.rollingUpdate.maxSurge'],
        },
      },
    ],
  },
  {
    name: "what has no schema is a whole",
    field: "free form",
    steps: [
      { by: "a", apply: { x: 1 } },
      { by: "b", apply: { y: 1 }, after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .data'] } },
    ],
  },
  {
    name: "what has no schema is shared whole",
    field: "free form",
    steps: [
      { by: "a", apply: { x: 1 } },
      { by: "b", apply: { x: 1 }, after: { value: { x: 1 }, owners: { b: ["."], a: ["."] } } },
    ],
  },
];
