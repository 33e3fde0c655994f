import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    name: "node",
    environment: "node",
    include: ["{agent,shared,cli,scripts,bench}/**/*.test.ts", "test/{run,harness,builders,images}/**/*.test.ts"],
    testTimeout: 30_000,
    pool: "threads",
    maxWorkers: 2,
  },
});
