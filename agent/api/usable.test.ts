import { expect, it } from "vitest";
import { aContainer, aPod } from "../../test/builders/kubelet.ts";
import type { Pod } from "./pod.ts";
import { whyUnusable } from "./usable.ts";

it.each<{ name: string; pod: unknown; want: string | undefined }>([
  { name: "an ordinary pod", pod: aPod(), want: undefined },
  { name: "a uid of another making", pod: aPod({}, { uid: "4F3A-x.1" }), want: undefined },
  { name: "a uid that leads away", pod: aPod({}, { uid: "../../etc" }), want: '"../../etc" is not a name' },
  { name: "a namespace that leads up", pod: aPod({}, { namespace: ".." }), want: '".." is not a name' },
  { name: "a container's name", pod: aPod({ containers: [aContainer("a/b")] }), want: '"a/b" is not a name' },
  { name: "a volume's name", pod: aPod({ volumes: [{ name: "../v" }] }), want: '"../v" is not a name' },
  { name: "no uid", pod: aPod({}, { uid: undefined as unknown as string }), want: "undefined is not a name" },
  { name: "no containers", pod: { metadata: aPod().metadata, spec: {} }, want: "it is no pod" },
  { name: "no spec", pod: { metadata: aPod().metadata }, want: "it is no pod" },
  { name: "nothing", pod: {}, want: "it is no pod" },
])("$name", ({ pod, want }) => expect(whyUnusable(pod as Pod)).toBe(want));
