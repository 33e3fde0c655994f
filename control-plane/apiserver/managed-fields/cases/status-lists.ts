import type { FieldCase } from "./run.ts";

/** Lists of the status, by key and whole, of which spec and status have owners of their own. */
export const STATUS_LIST_CASES: FieldCase[] = [
  {
    name: "of the status, by type",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "b",
        apply: [{ type: "Y", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          value: [
            { type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
            { type: "Y", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
          ],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
            "b of status": ["[Y]", "[Y].lastTransitionTime", "[Y].message", "[Y].reason", "[Y].status", "[Y].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a conflict names the subresource",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "b",
        apply: [{ type: "X", status: "False", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.conditions[type="X"].status',
          ],
        },
      },
    ],
  },
  {
    name: "of the status: left out through the status",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      { by: "a", apply: undefined, status: true, after: { owners: {} } },
    ],
  },
  {
    name: "of the status: applied to the object they count for nothing",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        after: { owners: {} },
      },
    ],
  },
  {
    name: "of the status: the object's apply does not remove them",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "a",
        apply: undefined,
        after: {
          value: [{ type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: an update of the status takes one over",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        update: [{ type: "X", status: "False", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
        after: {
          value: [{ type: "X", status: "False", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].type"],
            "u by update of status": ["[X].status"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a strategic patch of the status",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        strategic: {
          conditions: [
            { type: "Y", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" },
          ],
        },
        status: true,
        after: {
          value: [
            { type: "Y", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
            { type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" },
          ],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
            "u by update of status": [
              "[Y]",
              "[Y].lastTransitionTime",
              "[Y].message",
              "[Y].reason",
              "[Y].status",
              "[Y].type",
            ],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a merge patch of the object does not reach it",
    field: "conditions",
    steps: [
      { by: "u", create: undefined },
      {
        by: "a",
        apply: [{ type: "X", status: "True", reason: "R", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" }],
        status: true,
      },
      {
        by: "u",
        merge: { conditions: [] },
        after: {
          value: [{ type: "X", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R", message: "" }],
          owners: {
            "a of status": ["[X]", "[X].lastTransitionTime", "[X].message", "[X].reason", "[X].status", "[X].type"],
          },
        },
      },
    ],
  },
  {
    name: "of the status: a whole",
    field: "ingress",
    steps: [
      { by: "u", create: undefined },
      { by: "a", apply: [{ ip: "192.0.2.1" }], status: true },
      {
        by: "b",
        apply: [{ ip: "192.0.2.2" }],
        status: true,
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a" with subresource "status": .status.loadBalancer.ingress',
          ],
        },
      },
    ],
  },
  {
    name: "of the status: a whole by force",
    field: "ingress",
    steps: [
      { by: "u", create: undefined },
      { by: "a", apply: [{ ip: "192.0.2.1" }], status: true },
      {
        by: "b",
        apply: [{ hostname: "x" }],
        force: true,
        status: true,
        after: { value: [{ hostname: "x" }], owners: { "b of status": ["."] } },
      },
    ],
  },
];
