/** The `agent` command, on a node. Each subcommand is a file of its own beside this one. */
import { Command } from "commander";
import { AgentError } from "./agent-error.ts";
import { importImages } from "./image.ts";
import { join } from "./join.ts";
import { DEFAULT_STATE_DIR } from "./node-config.ts";
import { run } from "./run.ts";
import { status } from "./status.ts";
import { uninstall } from "./uninstall.ts";
import { AGENT_VERSION } from "./version.ts";

const RUNTIME_ENDPOINT = "unix:///run/containerd/containerd.sock";
const STATE_DIR = ["--state-dir <directory>", "where the agent keeps its files", DEFAULT_STATE_DIR] as const;

const program = new Command("agent")
  .description("The Hearth node agent: makes this machine a node of a cluster.")
  .version(AGENT_VERSION)
  .showHelpAfterError();

program
  .command("join")
  .description("join a cluster with a token from `./hearth token create`")
  .argument("<token>", "the token, whole")
  .option("--node-name <name>", "the node's name (default: this machine's host name)")
  .option(...STATE_DIR)
  .option("--runtime-endpoint <url>", "the container runtime's CRI socket", RUNTIME_ENDPOINT)
  .option("--cni-config-dir <directory>", "where the runtime looks for its pod network", "/etc/cni/net.d")
  .option("--instance <name>", "tells several agents of one machine apart (default: made of the state directory)")
  .option("--node-ip <addresses>", "the node's addresses: one, or one of each family (default: found out)")
  .option("--no-service-proxy", "leave Services' addresses to another program (kube-proxy, Cilium)")
  .option("--no-service", "do not write and start a systemd unit")
  .action(join);

program
  .command("run")
  .description("run the agent of a machine that has joined")
  .option(...STATE_DIR)
  .option("--containerd-dir <directory>", "keep a containerd of our own running, with all its files there")
  .option("--detach", "in the background, its log in the state directory", false)
  .action(run);

program
  .command("status")
  .description("whose node this is, and whether it is connected")
  .option(...STATE_DIR)
  .action(status);

program
  .command("uninstall")
  .description("take the node off this machine: its pods, its network, its unit and its files")
  .option(...STATE_DIR)
  .option("--containerd-dir <directory>", "the containerd of our own that `run` was given: it goes, too")
  .option("--yes", "do not ask", false)
  .action(uninstall);

program
  .command("image")
  .description("the images of this node's runtime")
  .command("import")
  .description("load OCI and docker archives into the runtime, for machines without a registry")
  .argument("<file...>", "archives, as `docker save` and `skopeo copy oci-archive:` write them, or OCI directories")
  .option("--name <image>", "what the image is called, for an archive that does not say it")
  .option(...STATE_DIR)
  .option("--runtime-endpoint <url>", "the runtime's socket, on a machine that has not joined")
  .action(importImages);

try {
  await program.parseAsync();
} catch (error) {
  if (!(error instanceof AgentError)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
