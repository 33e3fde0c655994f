import { expect, it } from "vitest";
import { createVolumeWait } from "./volume-wait.ts";

it("tells what is waited for every 2 min 3 s, counted from the first failure", () => {
  const wait = createVolumeWait();
  const told = (nowMs: number) => wait.failed(["b", "a"], nowMs) !== undefined;
  expect([0, 2_000, 122_999, 123_000, 125_000, 245_999, 246_000].map(told)).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
    true,
  ]);
  wait.succeeded();
  expect([300_000, 422_999].map(told)).toEqual([false, false]);
  expect(wait.failed(["b", "a"], 423_000)).toBe(
    "Unable to attach or mount volumes: unmounted volumes=[a b], unattached volumes=[], failed to process volumes=[]: context deadline exceeded",
  );
});
