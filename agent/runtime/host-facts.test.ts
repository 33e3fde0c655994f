import { expect, it } from "vitest";
import { mayRaisePriority, runtimePath } from "./host-facts.ts";

it.each([
  { name: "all capabilities", status: "Name:\tnode\nCapEff:\t000001ffffffffff\n", want: true },
  { name: "all but CAP_SYS_RESOURCE", status: "CapEff:\t000001fffeffffff\n", want: false },
  { name: "none", status: "CapEff:\t0000000000000000\n", want: false },
])("sees whether priorities may be raised: $name", ({ status, want }) => expect(mayRaisePriority(status)).toBe(want));

it("adds the sbin directories to a short PATH, once", () => {
  expect(runtimePath("/opt/bin:/usr/sbin")).toBe(
    "/opt/bin:/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin:/sbin:/bin",
  );
});
