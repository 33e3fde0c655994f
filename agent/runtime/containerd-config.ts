/** The pause image of Kubernetes 1.36. */
export const SANDBOX_IMAGE = "registry.k8s.io/pause:3.10";

/** Where a containerd of ours keeps things. All below one directory: two nodes on a machine share nothing. */
export interface ContainerdPaths {
  dir: string;
  socket: string;
  configFile: string;
  /** A CNI configuration directory of its own, so that another runtime's networks are never used. */
  cniConfDir: string;
}

export function containerdPaths(dir: string): ContainerdPaths {
  return {
    dir,
    socket: `${dir}/containerd.sock`,
    configFile: `${dir}/config.toml`,
    cniConfDir: `${dir}/net.d`,
  };
}

/** Plugins for hosts that we are not, and `opt`, which would make /opt/containerd. */
const DISABLED_PLUGINS = [
  "io.containerd.internal.v1.opt",
  "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.btrfs",
  "io.containerd.snapshotter.v1.devmapper",
  "io.containerd.snapshotter.v1.zfs",
  "io.containerd.tracing.processor.v1.otlp",
];

/**
 * containerd's configuration, version 2, which containerd 1.6 reads and 2.x converts.
 * @param facts.mayRaisePriority whether we hold CAP_SYS_RESOURCE; without it nobody may lower oom_score_adj, and a
 *   sandbox would fail to start over it
 */
export function renderContainerdConfig(
  paths: ContainerdPaths,
  facts: { cniBinDir: string; mayRaisePriority: boolean; usesSystemdCgroup: boolean },
): string {
  const q = (text: string) => JSON.stringify(text);
  return `version = 2
root = ${q(`${paths.dir}/root`)}
state = ${q(`${paths.dir}/state`)}
disabled_plugins = [${DISABLED_PLUGINS.map(q).join(", ")}]

[grpc]
  address = ${q(paths.socket)}

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = ${q(SANDBOX_IMAGE)}
  restrict_oom_score_adj = ${!facts.mayRaisePriority}
  stream_server_address = "127.0.0.1"
  stream_server_port = "0"
  enable_unprivileged_ports = true
  enable_unprivileged_icmp = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = ${q(facts.cniBinDir)}
    conf_dir = ${q(paths.cniConfDir)}
    max_conf_num = 1
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "/etc/containerd/certs.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = ${facts.usesSystemdCgroup}
`;
}
