import { defineConfig } from "vitest/config";

// Two unit-test projects: "workers" runs inside workerd with real Durable Objects, "node" in Node.js.
// The end-to-end suites in test/ are started by `./hearth test <suite>`, each with a config of its own.
export default defineConfig({
  test: {
    projects: [
      "./control-plane/vitest.config.ts",
      "./control-plane/storage/vitest.config.ts",
      "./vitest.node.config.ts",
    ],
  },
});
