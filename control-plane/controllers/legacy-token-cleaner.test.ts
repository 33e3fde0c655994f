import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CONFIG_MAPS, PODS, SECRETS, SERVICE_ACCOUNTS } from "../../shared/api/refs.ts";
import type { Pod, Secret } from "../../shared/api/types.ts";
import { MemoryApi } from "../../test/builders/memory-api.ts";
import { runControllers } from "../../test/builders/run-controllers.ts";
import { legacyTokenCleaner } from "./legacy-token-cleaner/index.ts";

const TRACKING = "kube-system/kube-apiserver-legacy-service-account-token-tracking";
const DAY_MS = 24 * 3600_000;

let api: MemoryApi;
let runner: ReturnType<typeof runControllers>;

/** Lets days pass; the alarm is asked at each, as the platform would when it is due. */
async function days(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    vi.setSystemTime(Date.now() + DAY_MS);
    await runner.alarm();
    await vi.advanceTimersByTimeAsync(100);
  }
}

async function token(name: string, isListed = true): Promise<void> {
  const account = { name: `${name}-account`, namespace: "default" };
  await api.create(SERVICE_ACCOUNTS, { metadata: account, ...(isListed ? { secrets: [{ name }] } : {}) });
  await api.create<Secret>(SECRETS, {
    metadata: { name, namespace: "default", annotations: { "kubernetes.io/service-account.name": account.name } },
    type: "kubernetes.io/service-account-token",
  });
}

const found = (name: string) => api.find<Secret>(SECRETS, `default/${name}`);
const label = (name: string) => found(name)?.metadata.labels?.["kubernetes.io/legacy-token-invalid-since"];

beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-10-21T08:00:00Z") });
  api = new MemoryApi();
  api.nowMs = () => Date.now();
  runner = runControllers(api, [legacyTokenCleaner]);
  await vi.advanceTimersByTimeAsync(500);
});

afterEach(() => vi.useRealTimers());

it("says since when tokens are tracked, and again when that is lost", async () => {
  expect(api.find(CONFIG_MAPS, TRACKING)).toMatchObject({ data: { since: "2026-10-21" } });
  await api.delete(CONFIG_MAPS, { name: TRACKING.split("/")[1] ?? "", namespace: "kube-system" });
  await days(1);
  expect(api.find(CONFIG_MAPS, TRACKING)).toMatchObject({ data: { since: "2026-10-22" } });
});

describe("tokens that nobody uses", () => {
  it("are marked after a year and removed after another; those made by hand, used, or named by pods stay", async () => {
    await token("unused");
    await token("by-hand", false);
    await token("used");
    await token("named");
    await api.create<Pod>(PODS, {
      metadata: { name: "p", namespace: "default" },
      spec: { containers: [], volumes: [{ name: "v", secret: { secretName: "named" } }] },
    });
    await days(365);
    expect(label("unused")).toBeUndefined();
    const labels = { "kubernetes.io/legacy-token-last-used": "2027-10-21" };
    await api.patch(SECRETS, { name: "used", namespace: "default" }, "merge", { metadata: { labels } });
    await days(1);
    expect(["unused", "by-hand", "used", "named"].map(label)).toEqual(["2027-10-22", undefined, undefined, undefined]);
    await days(365);
    expect(found("unused")).toBeDefined();
    await days(2);
    expect(["unused", "by-hand", "used", "named"].map((name) => found(name) !== undefined)).toEqual([
      false,
      true,
      true,
      true,
    ]);
  });
});
