import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

// The stores alone, inside workerd, with recorders in place of those whom they feed.
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "testdata/wrangler.toml" } })],
  test: {
    name: "storage",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 60_000,
  },
});
