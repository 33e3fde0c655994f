import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "./test/builders/effort.ts";

// Controllers, their runtime and the scheduler know nothing of workerd, whose timers make virtual time slow: their tests
// run here, save the two that need it (control-plane/vitest.config.ts).
export default defineConfig({
  test: {
    name: "node",
    environment: "node",
    include: [
      "{agent,shared,cli,scripts,bench}/**/*.test.ts",
      "control-plane/{controllers,runtime,scheduler}/**/*.test.ts",
      "test/{run,harness,builders,images,parsers,rows,simulation}/**/*.test.ts",
    ],
    exclude: ["control-plane/controllers/controller-manager.test.ts"],
    testTimeout: process.env["HEARTH_NIGHTLY"] === "1" ? 1_800_000 : 30_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
    pool: "threads",
    maxWorkers: 2,
    // A worker for each file would take longer to start than most files take; tests keep to clusters and files of their own.
    isolate: false,
  },
});
