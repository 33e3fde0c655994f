import { describe, expect, it } from "vitest";
import { reconnectDelayMs } from "./backoff.ts";
import { explainFailure } from "./failure.ts";
import { retryClock } from "./retry-clock.ts";

describe("the pause before the next attempt", () => {
  it.each([
    { failures: 0, least: 250, most: 500 },
    { failures: 1, least: 500, most: 1000 },
    { failures: 5, least: 8000, most: 16_000 },
    { failures: 6, least: 15_000, most: 30_000 },
    { failures: Number.POSITIVE_INFINITY, least: 15_000, most: 30_000 },
  ])("after $failures failures lies between $least and $most ms", ({ failures, least, most }) => {
    expect(reconnectDelayMs(failures, 0)).toBe(least);
    expect(reconnectDelayMs(failures, 1)).toBe(most);
  });
});

describe("a failure is explained", () => {
  const endpoint = "https://cp:6443";
  it.each([
    { failure: 401, says: "does not accept this node's credential (HTTP 401)" },
    { failure: 502, says: "refused the connection (HTTP 502)" },
    { failure: "ECONNREFUSED", says: "nothing listens at https://cp:6443" },
    { failure: "ENOTFOUND", says: "the host of https://cp:6443 cannot be resolved" },
    { failure: "EHOSTUNREACH", says: "cannot be reached over the network" },
    { failure: "SELF_SIGNED_CERT_IN_CHAIN", says: "is not signed by the cluster's CA" },
    { failure: "CERT_NOT_YET_VALID", says: "check both clocks" },
    { failure: "EOTHER", says: "what the system said" },
  ])("$failure", ({ failure, says }) => {
    const error =
      typeof failure === "number" ? failure : Object.assign(new Error("what the system said"), { code: failure });
    expect(explainFailure(error, endpoint)).toContain(says);
  });
});

describe("waiting to try again", () => {
  function connections() {
    const listeners = new Set<() => void>();
    return {
      listeners,
      onConnected(listener: () => void) {
        listeners.add(listener);
        listener();
        return () => listeners.delete(listener);
      },
    };
  }

  it("ends with the next connection, not with the present one", async () => {
    const tunnel = connections();
    let isOver = false;
    const sleeping = retryClock(tunnel)
      .sleep(60_000)
      .then(() => {
        isOver = true;
      });
    await Promise.resolve();
    expect(isOver).toBe(false);
    for (const listener of [...tunnel.listeners]) listener();
    await sleeping;
    expect(tunnel.listeners.size).toBe(0);
  });

  it("ends with the signal", async () => {
    const abort = new AbortController();
    const tunnel = connections();
    const sleeping = retryClock(tunnel).sleep(60_000, abort.signal);
    abort.abort();
    await sleeping;
    expect(tunnel.listeners.size).toBe(0);
  });
});
