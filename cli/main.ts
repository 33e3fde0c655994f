/** The `hearth` command. Each command is a file of its own beside this one. */
import { Command } from "commander";
import { down } from "./down.ts";
import { UserError } from "./errors.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { parsePort } from "./port.ts";
import { status } from "./status.ts";
import { parseDurationSeconds, tokenCreate } from "./token.ts";
import { up } from "./up.ts";

const program = new Command("hearth")
  .description("Kubernetes with its control plane hosted at the edge, here on one machine")
  .addHelpText("after", "\nEverything lives in HEARTH_HOME (default ~/.hearth).")
  .showHelpAfterError();

program
  .command("up")
  .description("start the control plane and join this machine as a node; harmless to repeat")
  .option("--port <port>", "port of the API (default: the last one used, or 6443)", parsePort)
  .option("--no-node", "the control plane alone")
  .action(up);

program
  .command("down")
  .description("stop what `up` started")
  .option("--purge", "also remove the data and everything the agent made on this machine", false)
  .action(down);

program.command("status").description("what runs, and whether it is well").action(status);

program.command("kubeconfig").description("print the admin's kubeconfig").action(kubeconfig);

program
  .command("token")
  .description("tokens for new nodes")
  .command("create")
  .description("print a token for `./hearth agent join`")
  .option("--ttl <duration>", "how long it may be used", parseDurationSeconds, 24 * 3600)
  .option("--endpoint <url>", "where the new node reaches the API (default: this machine's address)")
  .action(tokenCreate);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`error: ${error.message}`);
  if (error.hint) console.error(`  next: ${error.hint}`);
  process.exitCode = 1;
}
