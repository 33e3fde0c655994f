import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

// Control-plane tests run inside workerd, against the same wrangler.toml as the product.
export default defineConfig({
  plugins: [cloudflareTest({ wrangler: { configPath: "../wrangler.toml" } })],
  test: {
    name: "workers",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 60_000,
  },
});
