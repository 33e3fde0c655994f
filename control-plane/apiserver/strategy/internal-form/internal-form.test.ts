import { expect, test } from "vitest";
import { diffInternal, renderInternal } from "./index.ts";

test.each([
  {
    name: "zero values",
    value: {},
    type: "Toleration" as const,
    want: { Key: "", Effect: "", TolerationSeconds: null },
  },
  {
    name: "names with initials",
    value: { pdName: "d" },
    type: "GCEPersistentDiskVolumeSource" as const,
    want: { PDName: "d" },
  },
  {
    name: "maps by key",
    value: { limits: { b: "1", a: "2" } },
    type: "ResourceRequirements" as const,
    want: { Requests: null, Claims: null },
  },
  { name: "lists, empty and absent", value: { add: [] }, type: "Capabilities" as const, want: { Add: [], Drop: null } },
  {
    name: "a pod's host namespaces, in its security context",
    value: { hostNetwork: true },
    type: "PodSpec" as const,
    want: { SecurityContext: { HostNetwork: true, HostPID: false } },
  },
])("$name", ({ value, type, want }) => expect(renderInternal(value, type)).toMatchObject(want));

test("what differs, with three lines around it", () => {
  const diff = diffInternal({ name: "a", image: "x:1" }, { name: "a", image: "x:2" }, "EphemeralContainer");
  expect(diff.split("\n")).toEqual([
    "@@ -1,6 +1,6 @@",
    " {",
    '  "Name": "a",',
    '- "Image": "x:1",',
    '+ "Image": "x:2",',
    '  "Command": null,',
    '  "Args": null,',
    '  "WorkingDir": "",',
    "",
  ]);
});
