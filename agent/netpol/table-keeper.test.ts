import { describe, expect, it } from "vitest";
import { FakeClock } from "../../test/builders/fake-clock.ts";
import { PolicyEngine } from "./engine.ts";
import { addressOf } from "./pod-facts.ts";
import { createTableKeeper, type Nft } from "./table-keeper.ts";

/** Notes what it is told, and refuses as often as it is asked to. */
class FakeNft implements Nft {
  applied: ("whole" | string)[] = [];
  refusals = 0;
  listing: Awaited<ReturnType<Nft["listTable"]>>;
  async applyRuleset(text: string) {
    await Promise.resolve();
    if (this.refusals-- > 0) throw new Error("refused");
    this.applied.push(text.startsWith("add table") ? "whole" : text.trim());
  }
  rules: number | undefined;
  listTable = () => Promise.resolve(this.listing);
  countRules = () => Promise.resolve(this.rules);
}

function prepare() {
  const nft = new FakeNft();
  const clock = new FakeClock();
  const engine = new PolicyEngine();
  const stopping = new AbortController();
  const options = { table: "t", names: { address: "169.254.40.7", port: 53 } };
  const { signal } = stopping;
  const keeper = createTableKeeper({ engine, options: () => options, nft, clock, log: () => {}, signal });
  let pods = 0;
  const addPod = () => {
    pods++;
    engine.setPod(`pod-${pods}`, {
      namespace: "x",
      labels: {},
      addresses: addressOf(`10.0.0.${pods}`),
      namedPorts: [],
      isLocal: true,
    });
  };
  return { nft, clock, keeper, addPod, stopping };
}

describe("createTableKeeper", () => {
  it("writes all at first, changes from then on, and nothing when nothing changed", async () => {
    const { nft, keeper, addPod } = prepare();
    await keeper.sync();
    addPod();
    addPod();
    await keeper.sync();
    await keeper.sync();
    expect(nft.applied).toHaveLength(2);
    expect(nft.applied[0]).toBe("whole");
    expect(nft.applied[1]).toContain("add element inet t pods-egress4 { 10.0.0.1 : accept, 10.0.0.2 : accept }");
  });

  it("settles only when what came meanwhile is there too", async () => {
    const { nft, keeper, addPod } = prepare();
    const first = keeper.sync();
    await Promise.resolve();
    addPod();
    const second = keeper.sync();
    addPod();
    expect(keeper.sync()).toBe(second);
    await Promise.all([first, second]);
    expect(nft.applied).toHaveLength(2);
    expect(nft.applied[1]).toContain("10.0.0.2");
  });

  it("a change that is refused becomes the whole", async () => {
    const { nft, keeper, addPod } = prepare();
    await keeper.sync();
    addPod();
    nft.refusals = 1;
    await keeper.sync();
    expect(nft.applied).toEqual(["whole", "whole"]);
  });

  it("says that it fails, and tries again by itself, later each time", async () => {
    const { nft, clock, keeper } = prepare();
    nft.refusals = 2;
    await expect(keeper.sync()).rejects.toThrow("refused");
    await clock.advance(999);
    expect(nft.refusals).toBe(1);
    await clock.advance(1);
    expect(nft.applied).toEqual([]);
    await clock.advance(1_999);
    expect(nft.applied).toEqual([]);
    await clock.advance(1);
    expect(nft.applied).toEqual(["whole"]);
  });

  it("repairs what is gone, and leaves alone what is not", async () => {
    const { nft, keeper } = prepare();
    await keeper.sync();
    await keeper.check("hook");
    expect(nft.applied).toEqual(["whole", "whole"]);
    nft.rules = 8;
    await keeper.check("hook");
    expect(nft.applied).toEqual(["whole", "whole"]);
    await keeper.check("all");
    expect(nft.applied).toEqual(["whole", "whole", "whole"]);
  });

  it("does not judge by a listing that is older than a change", async () => {
    const { nft, keeper, addPod } = prepare();
    await keeper.sync();
    nft.listTable = () => {
      addPod();
      return Promise.resolve(undefined);
    };
    await keeper.check("all");
    expect(nft.applied).toEqual(["whole"]);
  });
});
