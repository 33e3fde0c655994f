/** The `hearth` command. Each command is a file of its own beside this one. */
import { join } from "node:path";
import { Command } from "commander";
import { buildBundles } from "../scripts/build-worker.ts";
import { agent } from "./agent.ts";
import { bench } from "./bench.ts";
import { down } from "./down.ts";
import { progress, UserError } from "./errors.ts";
import { handOver } from "./hand-over.ts";
import { kubeconfig } from "./kubeconfig.ts";
import { logs } from "./logs.ts";
import { parsePort } from "./port.ts";
import { status } from "./status.ts";
import { parseDurationSeconds, tokenCreate } from "./token.ts";
import { up } from "./up.ts";

const program = new Command("hearth")
  .description("Kubernetes with its control plane hosted at the edge, here on one machine")
  .addHelpText("after", "\nEverything lives in HEARTH_HOME (default ~/.hearth).")
  .enablePositionalOptions()
  .showHelpAfterError();

program
  .command("up")
  .description("start the control plane and join this machine as a node; harmless to repeat")
  .option("--port <port>", "port of the API (default: the last one used, or 6443)", parsePort)
  .option("--no-node", "the control plane alone")
  .option("--cluster-cidr <ranges>", "pods' addresses: one range, or one of each family (default: 10.244.0.0/16)")
  .option(
    "--service-cluster-ip-range <ranges>",
    "Services' addresses: one range, or one of each family (default: 10.96.0.0/16)",
  )
  .option("--node-ip <addresses>", "this node's addresses: one, or one of each family (default: found out)")
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

program
  .command("logs")
  .description("print a log: control-plane (default), agent or containerd")
  .argument("[process]", "whose log", "control-plane")
  .option("-f, --follow", "go on as lines are added", false)
  .action(logs);

program
  .command("agent")
  .description("the node agent: join, run, status, image import (`hearth agent --help`)")
  .argument("[args...]")
  .allowUnknownOption()
  .passThroughOptions()
  .helpOption(false)
  .action(agent);

program
  .command("build")
  .description("bundle the Worker and the control plane, if their sources changed")
  .action(async () => {
    for (const bundle of await buildBundles()) progress(`built ${bundle}`);
  });

program
  .command("test")
  .description("run the tests: all suites in order, or one")
  .argument("[suite]", "check, unit, build, oracle, or a folder of test/")
  .argument("[filter...]", "passed on to the suite: files, scenario ids")
  .action((suite: string | undefined, filter: string[]) =>
    handOver(join(import.meta.dirname, "../test/run/main.ts"), suite === undefined ? [] : [suite, ...filter]),
  );

program
  .command("bench")
  .description("measure, beside upstream's figures")
  .argument("[name]", "a folder of bench/ (default: cluster)")
  .action(bench);

// A reader that has enough (`hearth logs | head`) is no failure.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
});

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof UserError)) throw error;
  console.error(`error: ${error.message}`);
  if (error.hint) console.error(`  next: ${error.hint}`);
  process.exitCode = 1;
}
