import { defineConfig } from "vitest/config";
import { effortFromEnvironment } from "./builders/effort.ts";

// End-to-end suites: `./hearth test <suite>` runs the files of test/<suite>/, one after the other, on real parts.
export default defineConfig({
  test: {
    environment: "node",
    root: `${import.meta.dirname}/..`,
    include: ["test/*/**/*.test.ts"],
    fileParallelism: false,
    testTimeout: 180_000,
    provide: { effort: effortFromEnvironment(process.env, Date.now()) },
    hookTimeout: 300_000,
    reporters: ["verbose"],
  },
});
