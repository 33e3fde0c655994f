import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPATIBILITY_DATE, DURABLE_OBJECTS, renderWorkerdConfig } from "./workerd-config.ts";

const WRANGLER = readFileSync(join(import.meta.dirname, "../../wrangler.toml"), "utf8");

describe("the embedded Worker is the hosted one", () => {
  it("has the same Durable Objects", () => {
    const bindings = [...WRANGLER.matchAll(/^name = "(\w+)".*\nclass_name = "(\w+)"/gm)].map(
      ([, binding, className]) => ({ binding, className }),
    );
    expect(bindings).toEqual(DURABLE_OBJECTS);
  });

  it("has the same compatibility date", () => {
    expect(WRANGLER).toContain(`compatibility_date = "${COMPATIBILITY_DATE}"`);
  });
});

it("quotes paths and keeps the root secret out of the file", () => {
  const text = renderWorkerdConfig({
    workerFile: "worker.js",
    dataDir: '/a "b"/data',
    socket: "/a/s",
    cluster: "home",
  });
  expect(text).toContain('disk = (path = "/a \\"b\\"/data", writable = true)');
  expect(text).toContain('address = "unix:/a/s"');
  expect(text).toContain('(name = "ROOT_SECRET", fromEnvironment = "ROOT_SECRET")');
});
