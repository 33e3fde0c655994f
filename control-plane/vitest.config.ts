import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "../test/builders/effort.ts";

// Control-plane tests run inside workerd, against the same wrangler.toml as the product.
// The stores' own tests are a project of their own (storage/vitest.config.ts). Those of controllers and scheduler run in
// Node.js (vitest.node.config.ts), save what asks the runtime: time zones, and the Durable Object around it all.
export default defineConfig({
  plugins: [
    cloudflareTest({
      wrangler: { configPath: "../wrangler.toml" },
      miniflare: { bindings: { ROOT_SECRET: "the root secret of tests", DEFAULT_CLUSTER: "home" } },
    }),
  ],
  test: {
    name: "workers",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    exclude: [
      "storage/**",
      "{runtime,scheduler}/**",
      "controllers/!(controller-manager).test.ts",
      "controllers/!(cronjob)/**/*.test.ts",
    ],
    // A worker for each file would take longer to start than most files take; tests keep to clusters and files of their own.
    isolate: false,
    maxWorkers: 2,
    testTimeout: process.env["HEARTH_NIGHTLY"] === "1" ? 1_800_000 : 60_000,
    // Making a cluster is hundreds of writes.
    hookTimeout: 60_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
  },
});
