import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "../../test/builders/effort.ts";

// The stores alone, inside workerd, with recorders in place of those whom they feed.
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "testdata/wrangler.toml" } })],
  test: {
    name: "storage",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    isolate: false,
    maxWorkers: 2,
    testTimeout: process.env["HEARTH_NIGHTLY"] === "1" ? 1_800_000 : 300_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
  },
});
