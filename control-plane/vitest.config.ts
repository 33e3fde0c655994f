import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

// Control-plane tests run inside workerd, against the same wrangler.toml as the product.
// The stores' own tests are a project of their own (storage/vitest.config.ts).
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "../wrangler.toml" } })],
  test: {
    name: "workers",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    exclude: ["storage/**"],
    testTimeout: 60_000,
  },
});
