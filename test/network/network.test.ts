import { afterAll, beforeAll, describe, it } from "vitest";
import { waitFor } from "../harness/wait-for.ts";
import { describeApiInPods } from "./api.suite.ts";
import { describeBalancers } from "./balancers.suite.ts";
import { describeDualStack } from "./dual-stack.suite.ts";
import { describeLinks } from "./links.suite.ts";
import { describeNames } from "./names.suite.ts";
import { echoPod, NetworkLab, NODE_NAMES } from "./network-lab.ts";
import { describePolicies } from "./policies.suite.ts";
import { describeProxying } from "./proxying.suite.ts";
import { describeRelay } from "./relay.suite.ts";
import { describeServices } from "./services.suite.ts";

/*
 * One lab for all areas of the network: three nodes take half a minute to start. Each area is a file of its own beside
 * this one (`*.suite.ts`), which cleans up what it made; `-t` runs one alone.
 */

let lab: NetworkLab;

beforeAll(async () => {
  lab = await NetworkLab.build();
}, 600_000);

afterAll(async () => {
  await lab?.remove();
}, 300_000);

describe("nodes", () => {
  it("run pods that answer", async () => {
    await lab.kubectl.apply(NODE_NAMES.map((node) => echoPod(`echo-${node}`, { node, app: "echo" })).join(""));
    await lab.ready("app=echo");
    for (const node of NODE_NAMES) {
      const ask = () => lab.inPod(`echo-${node}`, "socat -u TCP:127.0.0.1:80 -; echo | socat -t 2 - UDP:127.0.0.1:80");
      await waitFor("both answers", async () => (await ask()) === `echo-${node}\n`.repeat(2));
    }
    await lab.kubectl.run("delete", "pod", "-l", "app=echo", "--wait=false");
  });
});

describeApiInPods(() => lab);
describeLinks(() => lab);
describeDualStack(() => lab);
describeRelay(() => lab);
describeNames(() => lab);
describeProxying(() => lab);

describeServices(() => lab);

describePolicies(() => lab);
describeBalancers(() => lab);
