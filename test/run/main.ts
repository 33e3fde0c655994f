/** `./hearth test [suite] [filter…]`, in a process of its own. */
import { runTests, UnknownSuite } from "./index.ts";

const [suite, ...filter] = process.argv.slice(2);
try {
  await runTests(suite, filter);
} catch (error) {
  if (!(error instanceof UnknownSuite)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
