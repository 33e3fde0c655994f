import type { FieldCase } from "./run.ts";

/** Applies of lists by several keys, of which some have a default. */
export const SEVERAL_KEYS_CASES: FieldCase[] = [
  {
    name: "several keys",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 2 }],
        after: {
          value: [
            { maxSkew: 1, topologyKey: "z", whenUnsatisfiable: "DoNotSchedule" },
            { maxSkew: 2, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" },
          ],
          owners: {
            a: [
              "[z,DoNotSchedule]",
              "[z,DoNotSchedule].maxSkew",
              "[z,DoNotSchedule].topologyKey",
              "[z,DoNotSchedule].whenUnsatisfiable",
            ],
            b: [
              "[z,ScheduleAnyway]",
              "[z,ScheduleAnyway].maxSkew",
              "[z,ScheduleAnyway].topologyKey",
              "[z,ScheduleAnyway].whenUnsatisfiable",
            ],
          },
        },
      },
    ],
  },
  {
    name: "several keys: a conflict names all",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.topologySpreadConstraints[topologyKey="z",whenUnsatisfiable="DoNotSchedule"].maxSkew',
          ],
        },
      },
    ],
  },
  {
    name: "several keys, one left out",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [{ topologyKey: "z", maxSkew: 1 }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "": supported values: "DoNotSchedule", "ScheduleAnyway"',
          ],
        },
      },
    ],
  },
  {
    name: "several keys twice",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [
          { topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 },
          { topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 2 },
        ],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.topologySpreadConstraints: duplicate entries for key [topologyKey="z",whenUnsatisfiable="DoNotSchedule"]',
          ],
        },
      },
    ],
  },
  {
    name: "several keys: the item of one goes",
    field: "spread",
    steps: [
      { by: "a", apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", maxSkew: 1 }] },
      { by: "b", apply: [{ topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway", maxSkew: 2 }] },
      {
        by: "a",
        apply: undefined,
        after: {
          value: [{ maxSkew: 2, topologyKey: "z", whenUnsatisfiable: "ScheduleAnyway" }],
          owners: {
            b: [
              "[z,ScheduleAnyway]",
              "[z,ScheduleAnyway].maxSkew",
              "[z,ScheduleAnyway].topologyKey",
              "[z,ScheduleAnyway].whenUnsatisfiable",
            ],
          },
        },
      },
    ],
  },
  {
    name: "several keys: a whole in an item",
    field: "spread",
    steps: [
      {
        by: "a",
        apply: [
          {
            topologyKey: "z",
            whenUnsatisfiable: "DoNotSchedule",
            maxSkew: 1,
            labelSelector: { matchLabels: { app: "x" } },
          },
        ],
      },
      {
        by: "b",
        apply: [{ topologyKey: "z", whenUnsatisfiable: "DoNotSchedule", labelSelector: { matchLabels: { app: "y" } } }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.topologySpreadConstraints[topologyKey="z",whenUnsatisfiable="DoNotSchedule"].labelSelector',
          ],
        },
      },
    ],
  },
  {
    name: "the key's default: left out by one, written by the other",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "b",
        apply: [{ containerPort: 80, protocol: "TCP", hostPort: 80 }],
        after: {
          value: [{ name: "x", hostPort: 80, containerPort: 80, protocol: "TCP" }],
          owners: {
            a: ["[80,TCP]", "[80,TCP].containerPort", "[80,TCP].name"],
            b: ["[80,TCP]", "[80,TCP].containerPort", "[80,TCP].hostPort", "[80,TCP].protocol"],
          },
        },
      },
    ],
  },
  {
    name: "the key's default makes two of one",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ containerPort: 80 }, { containerPort: 80, protocol: "TCP" }],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name="main"].ports: duplicate entries for key [containerPort=80,protocol="TCP"]',
          ],
        },
      },
    ],
  },
  {
    name: "one number, two protocols",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [
          { containerPort: 80, protocol: "TCP" },
          { containerPort: 80, protocol: "UDP" },
        ],
      },
      {
        by: "a",
        apply: [{ containerPort: 80, protocol: "UDP" }],
        after: {
          value: [{ containerPort: 80, protocol: "UDP" }],
          owners: { a: ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "a conflict names both keys",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "b",
        apply: [{ containerPort: 80, name: "y" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].ports[containerPort=80,protocol="TCP"].name',
          ],
        },
      },
    ],
  },
  {
    name: "the protocol changes: another item",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "a",
        apply: [{ containerPort: 80, name: "x", protocol: "UDP" }],
        after: {
          value: [{ name: "x", containerPort: 80, protocol: "UDP" }],
          owners: { a: ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].name", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "an update of the protocol moves the item",
    field: "ports",
    steps: [
      { by: "a", apply: [{ containerPort: 80, name: "x" }] },
      {
        by: "u",
        update: [{ containerPort: 80, name: "x", protocol: "UDP" }],
        after: {
          value: [{ name: "x", containerPort: 80, protocol: "UDP" }],
          owners: { "u by update": ["[80,UDP]", "[80,UDP].containerPort", "[80,UDP].name", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "no number",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ protocol: "TCP" }],
        after: {
          refused: [
            422,
            'PodTemplate "case" is invalid: template.spec.containers[0].ports[0].containerPort: Required value',
          ],
        },
      },
    ],
  },
  {
    name: "a number as text",
    field: "ports",
    steps: [
      {
        by: "a",
        apply: [{ containerPort: "80" }],
        after: {
          refused: [
            500,
            'failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.containers[name="main"].ports[containerPort="80",protocol="TCP"].containerPort: expected numeric (int or float), got string',
          ],
        },
      },
    ],
  },
  {
    name: "two ports with names by two managers",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ name: "x", port: 80 }] },
      {
        by: "b",
        apply: [{ name: "y", port: 81 }],
        after: {
          value: [
            { name: "x", port: 80 },
            { name: "y", port: 81 },
          ],
          owners: {
            a: ["[80,TCP]", "[80,TCP].name", "[80,TCP].port"],
            b: ["[81,TCP]", "[81,TCP].name", "[81,TCP].port"],
          },
        },
      },
    ],
  },
  {
    name: "the same port under another protocol",
    field: "service ports",
    steps: [
      {
        by: "a",
        apply: [
          { name: "x", port: 80 },
          { name: "y", port: 80, protocol: "UDP" },
        ],
      },
      {
        by: "a",
        apply: [{ name: "y", port: 80, protocol: "UDP" }],
        after: {
          value: [{ name: "y", protocol: "UDP", port: 80 }],
          owners: { a: ["[80,UDP]", "[80,UDP].name", "[80,UDP].port", "[80,UDP].protocol"] },
        },
      },
    ],
  },
  {
    name: "the target: a number and a name",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80, targetPort: 8080 }] },
      {
        by: "b",
        apply: [{ port: 80, targetPort: "web" }],
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .spec.ports[port=80,protocol="TCP"].targetPort',
          ],
        },
      },
    ],
  },
  {
    name: "the defaulted target is nobody's",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80 }] },
      {
        by: "b",
        apply: [{ port: 80, targetPort: 80 }],
        after: {
          value: [{ port: 80, targetPort: 80 }],
          owners: { b: ["[80,TCP]", "[80,TCP].port", "[80,TCP].targetPort"], a: ["[80,TCP]", "[80,TCP].port"] },
        },
      },
    ],
  },
  {
    name: "a merge patch renames one",
    field: "service ports",
    steps: [
      { by: "a", apply: [{ port: 80, name: "x" }] },
      {
        by: "u",
        merge: { ports: [{ port: 80, name: "y" }] },
        after: {
          value: [{ name: "y", port: 80 }],
          owners: { a: ["[80,TCP]", "[80,TCP].port"], "u by update": ["[80,TCP].name"] },
        },
      },
    ],
  },
];
