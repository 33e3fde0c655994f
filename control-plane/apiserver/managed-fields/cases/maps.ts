import type { FieldCase } from "./run.ts";

/** Applies of maps, of one owner a key or of one for the whole. */
export const MAP_CASES: FieldCase[] = [
  {
    name: "three managers with a key each",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "2" } },
      {
        by: "c",
        apply: { z: "3" },
        after: { value: { x: "1", y: "2", z: "3" }, owners: { a: [".x"], b: [".y"], c: [".z"] } },
      },
    ],
  },
  {
    name: "a key that two gave the same value belongs to both",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { y: "2", z: "3" },
        after: { value: { x: "1", y: "2", z: "3" }, owners: { a: [".x", ".y"], b: [".y", ".z"] } },
      },
    ],
  },
  {
    name: "conflicts with one manager are listed under it",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2", z: "3" } },
      {
        by: "b",
        apply: { x: "9", y: "9", z: "3" },
        after: { refused: [409, 'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\n- .data.y'] },
      },
    ],
  },
  {
    name: "conflicts with several managers are listed by manager",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "2" } },
      {
        by: "c",
        apply: { x: "9", y: "9" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "b":\n- .data.y',
          ],
        },
      },
    ],
  },
  {
    name: "a conflict with somebody who updates names the version",
    field: "data",
    steps: [
      { by: "u", create: { x: "1" } },
      {
        by: "b",
        apply: { x: "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "u" using v1: .data.x'] },
      },
    ],
  },
  {
    name: "conflicts of one that applies and one that updates",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", merge: { data: { y: "2" } } },
      {
        by: "b",
        apply: { x: "9", y: "9" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "u" using v1:\n- .data.y',
          ],
        },
      },
    ],
  },
  {
    name: "a shared key conflicts with each owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "1" } },
      {
        by: "c",
        apply: { x: "2" },
        after: {
          refused: [
            409,
            'Apply failed with 2 conflicts: conflicts with "a":\n- .data.x\nconflicts with "b":\n- .data.x',
          ],
        },
      },
    ],
  },
  {
    name: "one of two owners may not change what is shared",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "1" } },
      {
        by: "a",
        apply: { x: "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "b": .data.x'] },
      },
    ],
  },
  {
    name: "force takes only what differs",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { x: "9", y: "2" },
        force: true,
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], b: [".x", ".y"] } },
      },
    ],
  },
  {
    name: "force leaves keys that it does not name",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      {
        by: "b",
        apply: { x: "9" },
        force: true,
        after: { value: { x: "9", y: "2" }, owners: { a: [".y"], b: [".x"] } },
      },
    ],
  },
  {
    name: "force without a conflict changes nothing of others",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      {
        by: "b",
        apply: { y: "2" },
        force: true,
        after: { value: { x: "1", y: "2" }, owners: { a: [".x"], b: [".y"] } },
      },
    ],
  },
  {
    name: "what was taken by force does not go with its former owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "2" }, force: true },
      { by: "a", apply: undefined, after: { value: { x: "2" }, owners: { b: [".x"] } } },
    ],
  },
  {
    name: "what was taken by force goes with its new owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { x: "2" }, force: true },
      { by: "b", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "a key goes when its only owner leaves it out",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "a", apply: { y: "2" }, after: { value: { y: "2" }, owners: { a: [".y"] } } },
    ],
  },
  {
    name: "a shared key stays for the other owner",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1", y: "2" } },
      { by: "b", apply: { x: "1" } },
      { by: "a", apply: { y: "2" }, after: { value: { x: "1", y: "2" }, owners: { b: [".x"], a: [".y"] } } },
    ],
  },
  {
    name: "the map goes with its last key",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "the map is emptied, not left out",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "a", apply: {}, after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "the map of another stays when it is emptied",
    field: "data",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: {} },
      { by: "a", apply: undefined, after: { owners: { b: ["."] } } },
    ],
  },
  {
    name: "bytes",
    field: "binaryData",
    steps: [
      { by: "a", apply: { x: "YQ==" } },
      {
        by: "b",
        apply: { x: "Yg==" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .binaryData.x'] },
      },
    ],
  },
  {
    name: "bytes that are none",
    field: "binaryData",
    steps: [
      {
        by: "a",
        apply: { x: "?" },
        after: {
          refused: [
            500,
            "failed to convert new object (/case; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0",
          ],
        },
      },
    ],
  },
  {
    name: "keys with a prefix",
    field: "labels",
    steps: [
      { by: "a", apply: { "example.com/x": "1" } },
      {
        by: "b",
        apply: { "example.com/x": "2" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .metadata.labels.example.com/x'] },
      },
    ],
  },
  {
    name: "a key of another goes through null in a merge patch",
    field: "labels",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "b", apply: { y: "1" } },
      { by: "u", merge: { labels: { x: null } }, after: { value: { y: "1" }, owners: { b: [".y"] } } },
    ],
  },
  {
    name: "all of them gone by an update",
    field: "labels",
    steps: [
      { by: "a", apply: { x: "1" } },
      { by: "u", update: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "from client side to server side: what the annotation names is no conflict",
    field: "annotations",
    steps: [
      {
        by: "kubectl-client-side-apply",
        create: {
          x: "1",
          "kubectl.kubernetes.io/last-applied-configuration":
            '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"case","annotations":{"x":"1"}}}',
        },
      },
      {
        by: "kubectl",
        apply: { x: "2" },
        after: {
          value: {
            "kubectl.kubernetes.io/last-applied-configuration":
              '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{"x":"2"},"name":"case"}}\n',
            x: "2",
          },
          owners: {
            kubectl: [".x"],
            "kubectl-client-side-apply by update": [".", ".kubectl.kubernetes.io/last-applied-configuration"],
          },
        },
      },
    ],
  },
  {
    name: "a quantity written in another way is another value",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1" } },
      {
        by: "b",
        apply: { cpu: "1000m" },
        after: {
          refused: [
            409,
            'Apply failed with 1 conflict: conflict with "a": .template.spec.containers[name="main"].resources.limits.cpu',
          ],
        },
      },
    ],
  },
  {
    name: "another limit beside it",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1" } },
      {
        by: "b",
        apply: { memory: "1Gi" },
        after: { value: { cpu: "1", memory: "1Gi" }, owners: { a: [".cpu"], b: [".memory"] } },
      },
    ],
  },
  {
    name: "a number where a quantity is",
    field: "limits",
    steps: [{ by: "a", apply: { cpu: 1 }, after: { value: { cpu: "1" }, owners: { a: [".cpu"] } } }],
  },
  {
    name: "a limit goes, the other stays",
    field: "limits",
    steps: [
      { by: "a", apply: { cpu: "1", memory: "1Gi" } },
      { by: "a", apply: { memory: "1Gi" }, after: { value: { memory: "1Gi" }, owners: { a: [".memory"] } } },
    ],
  },
  {
    name: "an atomic map is shared whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "b", apply: { app: "x" }, after: { value: { app: "x" }, owners: { b: ["."], a: ["."] } } },
    ],
  },
  {
    name: "another key is a conflict over the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "b",
        apply: { tier: "y" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .spec.selector'] },
      },
    ],
  },
  {
    name: "force puts the whole in its place",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x", old: "1" } },
      { by: "b", apply: { tier: "y" }, force: true, after: { value: { tier: "y" }, owners: { b: ["."] } } },
    ],
  },
  {
    name: "the owner puts another whole in its place",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "a", apply: { tier: "y" }, after: { value: { tier: "y" }, owners: { a: ["."] } } },
    ],
  },
  {
    name: "a strategic patch adds a key and takes the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "u",
        strategic: { selector: { tier: "y" } },
        after: { value: { app: "x", tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "a merge patch adds a key and takes the whole",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      {
        by: "u",
        merge: { selector: { tier: "y" } },
        after: { value: { app: "x", tier: "y" }, owners: { "u by update": ["."] } },
      },
    ],
  },
  {
    name: "emptied",
    field: "service selector",
    steps: [
      { by: "a", apply: { app: "x" } },
      { by: "a", apply: {}, after: { owners: { a: ["."] } } },
    ],
  },
  {
    name: "another key is a conflict over the whole",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      {
        by: "b",
        apply: { disk: "ssd", zone: "1" },
        after: { refused: [409, 'Apply failed with 1 conflict: conflict with "a": .template.spec.nodeSelector'] },
      },
    ],
  },
  {
    name: "an update takes the whole",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "u", update: { disk: "hdd" }, after: { value: { disk: "hdd" }, owners: { "u by update": ["."] } } },
    ],
  },
  {
    name: "left out by its owner",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "a", apply: undefined, after: { owners: {} } },
    ],
  },
  {
    name: "shared, then left out by one",
    field: "nodeSelector",
    steps: [
      { by: "a", apply: { disk: "ssd" } },
      { by: "b", apply: { disk: "ssd" } },
      { by: "a", apply: undefined, after: { value: { disk: "ssd" }, owners: { b: ["."] } } },
    ],
  },
  {
    name: "a value of the wrong type",
    field: "nodeSelector",
    steps: [
      {
        by: "a",
        apply: { disk: true },
        after: {
          refused: [
            500,
            "failed to create typed patch object (/case; /v1, Kind=PodTemplate): .template.spec.nodeSelector.disk: expected string, got &value.valueUnstructured{Value:true}",
          ],
        },
      },
    ],
  },
];
