import type { FieldCase } from "./run.ts";

/** Strategic merge patches of maps and structs. */
export const STRATEGIC_MAP_CASES: FieldCase[] = [
  {
    name: "a map: merged",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { y: "9", z: "3" } },
        after: { value: { x: "1", y: "9", z: "3" }, owners: { "u by update": [".", ".x", ".y", ".z"] } },
      },
    ],
  },
  {
    name: "a map: null takes out",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { x: null } },
        after: { value: { y: "2" }, owners: { "u by update": [".", ".y"] } },
      },
    ],
  },
  {
    name: "a map: replaced",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "replace", y: "2" } },
        after: { value: { y: "2" }, owners: { "u by update": [".", ".y"] } },
      },
    ],
  },
  {
    name: "a map: replaced by nothing",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "replace" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: deleted",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "delete" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: deleted with members beside",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: { $patch: "delete", y: "2" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: merge is no directive for it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "merge", y: "2" } },
        after: { refused: [500, "unknown patch type: merge in map: map[$patch:merge y:2]"] },
      },
    ],
  },
  {
    name: "a map: an unknown directive",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $patch: "erase" } },
        after: { refused: [500, "unknown patch type: erase in map: map[$patch:erase]"] },
      },
    ],
  },
  {
    name: "a map: a directive where there was none",
    field: "data",
    steps: [
      { by: "u", create: undefined },
      { by: "u", strategic: { data: { $patch: "replace", y: "2" } }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: $retainKeys keeps what it names",
    field: "data",
    steps: [
      { by: "u", create: { x: "1", y: "2" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: ["y", "z"], z: "3" } },
        after: { value: { y: "2", z: "3" }, owners: { "u by update": [".", ".y", ".z"] } },
      },
    ],
  },
  {
    name: "a map: $retainKeys without what it sets",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: ["x"], z: "3" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a map: $retainKeys that is no list",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { $retainKeys: "x" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a map: null for all of it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      { by: "u", strategic: { data: null }, after: { owners: {} } },
    ],
  },
  {
    name: "a map: a list in its place",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: ["x"] },
        after: {
          refused: [422, ' "" is invalid: patch: Invalid value: "map[data:[x]]": cannot restore map from slice'],
        },
      },
    ],
  },
  {
    name: "a struct: merged",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "u",
        strategic: { securityContext: { runAsUser: 2, fsGroup: null } },
        after: { value: { runAsUser: 2 }, owners: { "u by update": [".", ".runAsUser"] } },
      },
    ],
  },
  {
    name: "a struct: replaced",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1, fsGroup: 3 } },
      {
        by: "u",
        strategic: { securityContext: { $patch: "replace", runAsUser: 2 } },
        after: { value: { runAsUser: 2 }, owners: { "u by update": [".", ".runAsUser"] } },
      },
    ],
  },
  {
    name: "a struct: deleted",
    field: "securityContext",
    steps: [
      { by: "u", create: { runAsUser: 1 } },
      {
        by: "u",
        strategic: { securityContext: { $patch: "delete" } },
        after: { value: {}, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a union: without $retainKeys both stay, and are refused",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { type: "Recreate" } },
        after: {
          refused: [
            422,
            "Deployment.apps \"case\" is invalid: spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'",
          ],
        },
      },
    ],
  },
  {
    name: "a union: $retainKeys clears the other member",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { $retainKeys: ["type"], type: "Recreate" } },
        after: { value: { type: "Recreate" }, owners: { "u by update": [".type"] } },
      },
    ],
  },
  {
    name: "a union: $retainKeys with an item that is no text",
    field: "strategy",
    steps: [
      { by: "u", create: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1 } } },
      {
        by: "u",
        strategic: { strategy: { $retainKeys: [7], type: "Recreate" } },
        after: { refused: [400, "invalid patch format of retainKeys"] },
      },
    ],
  },
  {
    name: "a map: a deletion list in it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { data: { "$deleteFromPrimitiveList/x": ["1"] } },
        after: { value: { x: "1" }, owners: { "u by update": [".", ".x"] } },
      },
    ],
  },
  {
    name: "a map: an unknown member beside it",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "u",
        strategic: { colour: { x: "1" } },
        after: { value: { x: "1" }, owners: { "u by update": [".", ".x"] } },
      },
    ],
  },
];
