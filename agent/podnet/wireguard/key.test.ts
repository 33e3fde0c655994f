import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureKey, keyPairOf } from "./key.ts";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "hearth-key-"));
});
afterAll(() => rm(dir, { recursive: true }));

const base64 = (hex: string) => Buffer.from(hex, "hex").toString("base64");

it("the public key is the one that `wg pubkey` gives", () => {
  const pair = {
    privateKey: "8MW6FIMeyWkzSoMZFMqt1VZWT2FVhGWl4qdWB2aLzlo=",
    publicKey: "ncvueOL3lGW3hNJszVcYRqwRuhEuqckL8J/XttYDZjo=",
  };
  expect(keyPairOf(pair.privateKey)).toEqual(pair);
});

it.each(["", "x", base64("00".repeat(31)), `${base64("00".repeat(32))}\n`])("no key: %j", (text) =>
  expect(keyPairOf(text)).toBeUndefined(),
);

describe("the key's file", () => {
  it("is made once, for root alone, and made anew when it is gone or holds none", async () => {
    const file = join(dir, "private.key");
    const first = await ensureKey(file);
    expect(await readFile(file, "utf8")).toBe(`${first.privateKey}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await ensureKey(file)).toEqual(first);
    await rm(file);
    const second = await ensureKey(file);
    expect(second.publicKey).not.toBe(first.publicKey);
    await writeFile(file, "half a k");
    const third = await ensureKey(file);
    expect(third.publicKey).not.toBe(second.publicKey);
    expect(await ensureKey(file)).toEqual(third);
  });
});
