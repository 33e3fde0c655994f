import { expect, it } from "vitest";
import { inNewerWords } from "./newer-texts.ts";

it.each([
  {
    name: "claims that a pod does not have are not spoken of",
    recorded:
      '"0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never."',
    want: '"0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never."',
  },
  { name: "all else stays", recorded: '{"message":"no new claims"}', want: '{"message":"no new claims"}' },
])("$name", ({ recorded, want }) => expect(inNewerWords(recorded)).toBe(want));
