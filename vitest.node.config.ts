import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "./test/builders/effort.ts";

export default defineConfig({
  test: {
    name: "node",
    environment: "node",
    include: [
      "{agent,shared,cli,scripts,bench}/**/*.test.ts",
      "test/{run,harness,builders,images,parsers,rows,simulation}/**/*.test.ts",
    ],
    testTimeout: process.env["HEARTH_NIGHTLY"] === "1" ? 1_800_000 : 30_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
    pool: "threads",
    maxWorkers: 2,
    // A worker for each file would take longer to start than most files take; tests keep to clusters and files of their own.
    isolate: false,
  },
});
