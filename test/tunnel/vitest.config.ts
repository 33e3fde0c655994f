import { defineConfig } from "vitest/config";

// The tunnel between a real workerd and the agent's end in Node.js.
export default defineConfig({
  test: {
    name: "tunnel",
    root: import.meta.dirname,
    include: ["**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
