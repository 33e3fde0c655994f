import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import type { Env } from "../env.ts";
import { openTables } from "./tables.ts";

const { STORES } = env as unknown as Env;

it("makes the tables of an empty database once, and leaves them as they are from then on", async () => {
  await runInDurableObject(STORES.getByName("tables//pods"), (_, { storage }) => {
    openTables(storage).claims.insert("ip/1", "a/x");
    expect(openTables(storage).claims.holder("ip/1")).toBe("a/x");
  });
});

it("refuses a database that a newer version has written", async () => {
  await runInDurableObject(STORES.getByName("newer-tables//pods"), (_, { storage }) => {
    storage.sql.exec("UPDATE meta SET version = 99");
    expect(() => openTables(storage)).toThrow("version 99, newer than 1");
  });
});
