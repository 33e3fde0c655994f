import type { Import } from "./imports.ts";

/** Which files a folder's files may import, beside their own folder. */
interface Layer {
  folder: string;
  /** Prefixes of paths. A folder ends in `/`; a file allows that file alone. */
  may: string[];
  /** What to do when the wanted import is not among them. */
  instead: string;
}

const SHARED = ["shared/", "generated/"];
const WORKER_ENV = "control-plane/env.ts";
/** What a quota counts, which admission charges and a controller counts again. */
const QUOTA = "control-plane/quota/index.ts";

/** The first layer whose folder holds a file counts. */
export const LAYERS: Layer[] = [
  {
    folder: "shared/",
    may: SHARED,
    instead: "shared/ holds what both sides need and nothing else: move the piece here, or the user of it out of here",
  },
  { folder: "generated/", may: SHARED, instead: "generated code depends on shared/ alone" },
  {
    folder: "agent/",
    may: SHARED,
    instead: "the agent knows the control plane only through its API: use shared/client over the tunnel",
  },
  {
    folder: "control-plane/storage/",
    may: [...SHARED, "migrations/", WORKER_ENV],
    instead: "storage knows its own tables only: pass in what it needs",
  },
  {
    folder: "control-plane/hosting/",
    may: [...SHARED, "migrations/", WORKER_ENV],
    instead: "hosting knows its own tables only: pass in what it needs, as BootstrapCluster is passed in",
  },
  {
    folder: "control-plane/apiserver/",
    may: [
      ...SHARED,
      WORKER_ENV,
      "control-plane/storage/index.ts",
      "control-plane/storage/interface.ts",
      "control-plane/hosting/index.ts",
      "control-plane/gateway/index.ts",
      QUOTA,
    ],
    instead: "the API server uses a store's interface, an identity's and a node session's index.ts, and no controller",
  },
  {
    folder: "control-plane/client/",
    may: [...SHARED, WORKER_ENV, "control-plane/apiserver/index.ts", "control-plane/storage/interface.ts"],
    instead:
      "the in-process client calls serveApi of control-plane/apiserver/index.ts, and knows a store by its interface",
  },
  {
    folder: "control-plane/runtime/",
    may: [...SHARED, WORKER_ENV, "control-plane/storage/interface.ts"],
    instead: "what controllers share gets the API client passed in (shared/client/api-client.ts)",
  },
  ...["controllers", "scheduler"].map((area) => ({
    folder: `control-plane/${area}/`,
    may: [
      ...SHARED,
      WORKER_ENV,
      "control-plane/client/",
      "control-plane/runtime/index.ts",
      "control-plane/storage/interface.ts",
      QUOTA,
    ],
    instead: "read and write through the API client, so that admission, validation and watches apply as to any client",
  })),
  { folder: "control-plane/quota/", may: SHARED, instead: "quotas are counted by pure functions of the objects" },
  {
    folder: "control-plane/gateway/",
    may: [...SHARED, WORKER_ENV, "control-plane/apiserver/"],
    instead: "a node session serves its node through the API server, and keeps no other state",
  },
  {
    folder: "control-plane/",
    may: [...SHARED, "control-plane/"],
    instead: "the Worker is made of control-plane/ and shared/",
  },
  {
    folder: "cli/",
    may: [...SHARED, "agent/runtime/index.ts", "agent/purge/index.ts", "scripts/"],
    instead: "the CLI starts the parts as processes and talks to them over the API",
  },
  { folder: "scripts/", may: SHARED, instead: "build steps read shared/ and the sources as files" },
];

/** What runs on a fresh clone, where `generated/` is not there yet. */
export const STARTS_UNGENERATED = [
  "cli/main.ts",
  "scripts/build-worker.ts",
  "scripts/generate-schema/main.ts",
  "test/run/index.ts",
];

/** Only these may use a runtime's own modules. */
const NO_RUNTIME = "shared/";
/** Anything may be imported there; nothing else imports them. */
const FREE = ["test/", "bench/"];
/** Code that stands in for a part in a test. */
const IS_TEST_CODE = /\.test\.ts$|\.suite\.ts$|\/(testing|testdata)\/|\/vitest\.config\.ts$/;

/** What is wrong with an import, and what to use instead; undefined when it is allowed. */
export function findFault({ from, to }: Import): string | undefined {
  if (FREE.some((folder) => from.startsWith(folder)) || IS_TEST_CODE.test(from)) return undefined;
  if (!to.includes("/") || !/^[a-z-]+\/.*\.\w+$/.test(to) || to.startsWith("@")) return findRuntimeFault(from, to);
  const layer = LAYERS.find(({ folder }) => from.startsWith(folder));
  if (!layer || to.startsWith(layer.folder) || layer.may.some((allowed) => to.startsWith(allowed))) return undefined;
  const reason = FREE.some((folder) => to.startsWith(folder))
    ? "only tests may import test/ and bench/"
    : layer.instead;
  return `${from} imports ${to}: ${reason}`;
}

function findRuntimeFault(from: string, module: string): string | undefined {
  if (!from.startsWith(NO_RUNTIME) || !/^(node|cloudflare):/.test(module)) return undefined;
  return `${from} imports ${module}: shared/ runs under both runtimes; use what the web platform offers, or pass it in`;
}
