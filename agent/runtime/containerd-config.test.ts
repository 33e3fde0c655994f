import { expect, it } from "vitest";
import { containerdPaths, renderContainerdConfig } from "./containerd-config.ts";

const facts = { cniBinDir: "/usr/lib/cni", mayRaisePriority: true, usesSystemdCgroup: false };

it("keeps everything below the one directory", () => {
  const text = renderContainerdConfig(containerdPaths("/srv/hearth/containerd"), facts);
  for (const line of [
    'root = "/srv/hearth/containerd/root"',
    'state = "/srv/hearth/containerd/state"',
    'address = "/srv/hearth/containerd/containerd.sock"',
    'conf_dir = "/srv/hearth/containerd/net.d"',
  ]) {
    expect(text).toContain(line);
  }
});

it.each([
  { name: "with CAP_SYS_RESOURCE", mayRaisePriority: true, want: "restrict_oom_score_adj = false" },
  { name: "without it", mayRaisePriority: false, want: "restrict_oom_score_adj = true" },
])("restricts oom scores only where it must: $name", ({ mayRaisePriority, want }) => {
  expect(renderContainerdConfig(containerdPaths("/d"), { ...facts, mayRaisePriority })).toContain(want);
});
