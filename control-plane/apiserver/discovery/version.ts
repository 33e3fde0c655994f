import { HEARTH_VERSION } from "../../../generated/build-facts.ts";

/** The release of Kubernetes that this API is that of. */
const KUBERNETES_VERSION = "1.36.2";
const [MAJOR, MINOR] = KUBERNETES_VERSION.split(".") as [string, string];

/** The body of /version (version.Info). Clients compare major and minor; the rest is for people. */
export const VERSION_INFO = {
  major: MAJOR,
  minor: MINOR,
  emulationMajor: MAJOR,
  emulationMinor: MINOR,
  minCompatibilityMajor: MAJOR,
  minCompatibilityMinor: String(Number(MINOR) - 1),
  gitVersion: `v${KUBERNETES_VERSION}+hearth.${HEARTH_VERSION}`,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "1970-01-01T00:00:00Z",
  goVersion: "",
  compiler: "workerd",
  platform: "linux/amd64",
};
