import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "./test/builders/effort.ts";

export default defineConfig({
  test: {
    name: "node",
    environment: "node",
    include: ["{agent,shared,cli,scripts,bench}/**/*.test.ts", "test/{run,harness,builders,images}/**/*.test.ts"],
    testTimeout: 30_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
    pool: "threads",
    maxWorkers: 2,
  },
});
