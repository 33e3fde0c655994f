import { readFileSync } from "node:fs";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

export const AGENT_VERSION = version;

/** What the Node says: the release of Kubernetes whose kubelet this stands for, and ours. */
export const KUBELET_VERSION = `v1.36.2+hearth.${version}`;
