/** The Durable Object classes of the Worker and their bindings; a test compares them with wrangler.toml. */
export const DURABLE_OBJECTS: { binding: string; className: string }[] = [
  { binding: "STORES", className: "ResourceStore" },
  { binding: "CONTROLLERS", className: "ControllerManager" },
  { binding: "SCHEDULERS", className: "Scheduler" },
  { binding: "NODES", className: "NodeSession" },
  { binding: "CLUSTERS", className: "ClusterIdentity" },
  { binding: "DIRECTORY", className: "ClusterDirectory" },
];

export const COMPATIBILITY_DATE = "2026-10-01";

/** Texts of the config are Cap'n Proto string literals; JSON's escapes are a subset of theirs. */
const quote = (text: string) => JSON.stringify(text);

/**
 * workerd's configuration for one embedded control plane. ROOT_SECRET comes from the environment, never from the file.
 * The Worker listens on a Unix socket only: the directory's mode keeps other users of the machine away from it.
 */
export function renderWorkerdConfig(options: {
  /** Beside the config file: Cap'n Proto's `embed` takes a relative path. */
  workerFile: string;
  dataDir: string;
  socket: string;
  cluster: string;
}): string {
  const bindings = DURABLE_OBJECTS.map(
    ({ binding, className }) =>
      `        (name = ${quote(binding)}, durableObjectNamespace = (className = ${quote(className)})),`,
  );
  const namespaces = DURABLE_OBJECTS.map(
    ({ className }) =>
      `        (className = ${quote(className)}, uniqueKey = ${quote(`hearth-${className}`)}, enableSql = true),`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker.js", esModule = embed ${quote(options.workerFile)})],
      compatibilityDate = ${quote(COMPATIBILITY_DATE)},
      bindings = [
${bindings.join("\n")}
        (name = "ROOT_SECRET", fromEnvironment = "ROOT_SECRET"),
        (name = "DEFAULT_CLUSTER", text = ${quote(options.cluster)}),
      ],
      durableObjectNamespaces = [
${namespaces.join("\n")}
      ],
      durableObjectStorage = (localDisk = "data"),
    )),
    (name = "data", disk = (path = ${quote(options.dataDir)}, writable = true)),
  ],
  sockets = [(name = "http", address = ${quote(`unix:${options.socket}`)}, http = (), service = "main")],
);
`;
}
