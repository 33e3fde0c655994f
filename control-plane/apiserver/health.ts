import { textAnswer } from "./answer.ts";
import type { ApiContext } from "./attributes.ts";
import type { Answer, ApiCall } from "./call.ts";
import { storeOf } from "./stores.ts";

const ENDPOINTS = ["healthz", "livez", "readyz"];

/** Upstream's names, in its order: people and monitoring look for them. What they ask about is one thing here. */
const CHECKS = [
  "ping",
  "log",
  "etcd",
  "etcd-readiness",
  "informer-sync",
  "poststarthook/start-apiserver-admission-initializer",
  "poststarthook/generic-apiserver-start-informers",
  "poststarthook/priority-and-fairness-config-consumer",
  "shutdown",
];
/** Only /readyz asks for these. */
const READY_ONLY = new Set(["etcd-readiness", "informer-sync", "shutdown"]);
/** Checks that read from a store; the others are met by an answer. */
const STORAGE_CHECKS = new Set(["etcd", "etcd-readiness"]);
/** Checks that have a path of their own everywhere. */
const SINGLE_CHECKS = new Set(CHECKS.filter((name) => !STORAGE_CHECKS.has(name)));

function hasPath(endpoint: string, name: string): boolean {
  if (endpoint === "readyz") return SINGLE_CHECKS.has(name);
  return name === "etcd" || (SINGLE_CHECKS.has(name) && !READY_ONLY.has(name));
}

/** Every path that answers. */
export const HEALTH_PATHS = ENDPOINTS.flatMap((endpoint) => {
  return [`/${endpoint}`, ...CHECKS.filter((name) => hasPath(endpoint, name)).map((name) => `/${endpoint}/${name}`)];
});
const STORE_TIMEOUT_MS = 2_000;

/** /healthz, /livez and /readyz with `verbose`, `exclude` and single checks; undefined for other paths. */
export async function serveHealth({ url }: ApiCall, context: ApiContext): Promise<Answer | undefined> {
  const [endpoint = "", ...rest] = url.pathname.slice(1).split("/");
  if (!ENDPOINTS.includes(endpoint)) return undefined;
  const single = rest.join("/");
  if (rest.length > 0) return singleCheck(endpoint, single, context);
  const names = CHECKS.filter((name) => endpoint === "readyz" || !READY_ONLY.has(name));
  const excluded = new Set(url.searchParams.getAll("exclude"));
  const storage = await isStorageWell(context);
  const results = names.map((name) => ({
    name,
    isExcluded: excluded.has(name),
    isWell: !STORAGE_CHECKS.has(name) || storage,
  }));
  const isWell = results.every((result) => result.isExcluded || result.isWell);
  if (isWell && !url.searchParams.has("verbose")) return textAnswer(200, "ok");
  const lines = results.map(({ name, isExcluded, isWell: ok }) => {
    if (isExcluded) return `[+]${name} excluded: ok`;
    return ok ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  const unknown = [...excluded].filter((name) => !names.includes(name)).sort();
  if (unknown.length > 0) lines.push(cannotExclude(unknown));
  return textAnswer(isWell ? 200 : 500, `${lines.join("\n")}\n${endpoint} check ${isWell ? "passed" : "failed"}\n`);
}

const cannotExclude = (names: string[]) =>
  `warn: some health checks cannot be excluded: no matches for ${names.map((name) => JSON.stringify(name)).join(",")}`;

/** One check by its path; the storage has none under /readyz. */
async function singleCheck(endpoint: string, name: string, context: ApiContext): Promise<Answer | undefined> {
  if (!hasPath(endpoint, name)) return undefined;
  if (STORAGE_CHECKS.has(name) && !(await isStorageWell(context))) {
    return textAnswer(500, "internal server error: storage does not answer\n");
  }
  return { code: 200, headers: { "content-type": "text/plain; charset=utf-8" }, body: "ok" };
}

/** Whether a store answers. */
export async function isStorageWell({ env, cluster }: ApiContext): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), STORE_TIMEOUT_MS);
  });
  const answer = storeOf(env, cluster, { group: "", resource: "namespaces" })
    .currentRevision()
    .then(
      () => true,
      () => false,
    );
  const isWell = await Promise.race([answer, late]);
  clearTimeout(timer);
  return isWell;
}
