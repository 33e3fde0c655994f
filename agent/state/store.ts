import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { KubeObject } from "../../shared/api/object.ts";
import type { Pod } from "../api/index.ts";
import { createOrder, removeTemporaryFiles, writeFileAtomically } from "./files.ts";
import { loadNodeKey } from "./node-key.ts";

export type RememberedKind = "configmaps" | "secrets";

export interface Token {
  token: string;
  /** RFC 3339. */
  expirationTimestamp: string;
  /** Epoch ms at which it was issued. */
  issuedMs: number;
}

/** How an image came to the node, by repository: as anybody, or with which secrets. */
export interface PullRecord {
  repositories: Record<
    string,
    { isForAll: boolean; secrets: { uid: string; namespace: string; name: string; hash: string }[] }
  >;
}

/** What a node needs to go on without its control plane. Every write is on the disk when its promise settles. */
export interface AgentState {
  pods(): Promise<Pod[]>;
  savePod(pod: Pod): Promise<void>;
  forgetPod(uid: string): Promise<void>;

  /** What the node has granted to a pod whose resources were changed, and what runs with it; a form of the caller's. */
  allocation(uid: string): Promise<unknown>;
  saveAllocation(uid: string, allocation: object): Promise<void>;

  /** ConfigMaps and Secrets (these sealed) that pods were started with. */
  object(kind: RememberedKind, namespace: string, name: string): Promise<KubeObject | undefined>;
  saveObject(kind: RememberedKind, object: KubeObject): Promise<void>;
  forgetObject(kind: RememberedKind, namespace: string, name: string): Promise<void>;
  /** Forgets the objects that no pod uses any more. Keys are as `objectKey` makes them, asked for one by one. */
  keepObjects(isUsed: (key: string) => boolean): Promise<void>;

  /** A set of objects that the node needs whole, by a name of the caller's; undefined when it was never saved. */
  remembered(set: string): Promise<KubeObject[] | undefined>;
  remember(set: string, objects: readonly object[]): Promise<void>;

  /** What the node keeps for itself and from everybody else, sealed, by a name of the caller's; a form of the caller's. */
  secret(name: string): Promise<unknown>;
  saveSecret(name: string, secret: object): Promise<void>;

  /** Service-account tokens of a pod, sealed, by a key of the caller's. */
  token(uid: string, key: string): Promise<Token | undefined>;
  saveToken(uid: string, key: string, token: Token): Promise<void>;

  /** By the image's id; sealed, since it has hashes of credentials. */
  pullRecord(imageId: string): Promise<PullRecord | undefined>;
  savePullRecord(imageId: string, record: PullRecord): Promise<void>;
  /** Whether a pull of an image of this name was begun, and its end was never told. */
  isPulling(image: string): Promise<boolean>;
  setPulling(image: string, isPulling: boolean): Promise<void>;
  /** Forgets the records of images that are gone. */
  keepPullRecords(imageIds: string[]): Promise<void>;
}

/**
 * State under `<stateDir>/checkpoint`, readable by its owner alone. A file that cannot be read (a half-written disk) is
 * skipped with a note: the API server has the truth, this is for the time without it.
 */
export async function openState({
  stateDir,
  log = () => {},
}: {
  stateDir: string;
  log?: (message: string, error: unknown) => void;
}): Promise<AgentState> {
  const root = join(stateDir, "checkpoint");
  const names = ["pods", "allocations", "objects", "tokens", "images", "pulls", "sets", "secrets"] as const;
  const directories = Object.fromEntries(names.map((name) => [name, join(root, name)])) as Record<
    (typeof names)[number],
    string
  >;
  for (const directory of Object.values(directories)) {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await removeTemporaryFiles(directory);
  }
  const key = await loadNodeKey(join(stateDir, "node.key"), log);

  async function read<T>(path: string, decode: (bytes: Buffer) => string): Promise<T | undefined> {
    try {
      return JSON.parse(decode(await readFile(path))) as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") log(`skipping unreadable state ${path}`, error);
      return undefined;
    }
  }
  const plain = (bytes: Buffer) => bytes.toString("utf8");
  /** By file or directory: the last call wins, and nothing that was forgotten is written again. */
  const inOrder = createOrder();
  const write = (path: string, content: string | Buffer) => inOrder(path, () => writeFileAtomically(path, content));
  const podFile = (uid: string) => join(directories.pods, `${checkedName(uid)}.json`);
  const allocationFile = (uid: string) => join(directories.allocations, `${checkedName(uid)}.json`);
  const objectFile = (kind: RememberedKind, namespace: string, name: string) =>
    join(directories.objects, objectKey(kind, checkedName(namespace), checkedName(name)));
  const setFile = (set: string) => join(directories.sets, `${checkedName(set)}.json`);
  const secretFile = (name: string) => join(directories.secrets, checkedName(name));
  const tokenDirectory = (uid: string) => join(directories.tokens, checkedName(uid));
  const tokenFile = (uid: string, tokenKey: string) =>
    join(tokenDirectory(uid), createHash("sha256").update(tokenKey).digest("hex").slice(0, 32));

  const imageFile = (imageId: string) => join(directories.images, checkedName(imageId));
  const pullFile = (image: string) => join(directories.pulls, createHash("sha256").update(image).digest("hex"));

  return {
    async pods() {
      const names = (await readdir(directories.pods)).filter((name) => name.endsWith(".json"));
      const pods = await Promise.all(names.map((name) => read<Pod>(join(directories.pods, name), plain)));
      // What is no pod for other reasons is for the caller to see.
      return pods.filter((pod) => typeof pod === "object" && pod !== null);
    },
    savePod: async (pod) => write(podFile(pod.metadata.uid), JSON.stringify(pod)),
    async forgetPod(uid) {
      await inOrder(podFile(uid), () => rm(podFile(uid), { force: true }));
      await inOrder(tokenDirectory(uid), () => rm(tokenDirectory(uid), { recursive: true, force: true }));
      await inOrder(allocationFile(uid), () => rm(allocationFile(uid), { force: true }));
    },

    allocation: (uid) => read(allocationFile(uid), plain),
    saveAllocation: async (uid, allocation) => write(allocationFile(uid), JSON.stringify(allocation)),

    object: async (kind, namespace, name) =>
      read(objectFile(kind, namespace, name), kind === "secrets" ? (bytes) => key.open(bytes) : plain),
    async saveObject(kind, object) {
      const text = JSON.stringify(object);
      const path = objectFile(kind, object.metadata.namespace ?? "", object.metadata.name);
      await write(path, kind === "secrets" ? key.seal(text) : text);
    },
    async forgetObject(kind, namespace, name) {
      const path = objectFile(kind, namespace, name);
      await inOrder(path, () => rm(path, { force: true }));
    },
    async keepObjects(isUsed) {
      for (const name of await readdir(directories.objects)) {
        const path = join(directories.objects, name);
        if (!isUsed(name)) await inOrder(path, () => rm(path, { force: true }));
      }
    },

    async remembered(set) {
      const objects = await read<unknown>(setFile(set), plain);
      return Array.isArray(objects) ? (objects as KubeObject[]) : undefined;
    },
    remember: async (set, objects) => write(setFile(set), JSON.stringify(objects)),

    secret: (name) => read(secretFile(name), (bytes) => key.open(bytes)),
    saveSecret: async (name, secret) => write(secretFile(name), key.seal(JSON.stringify(secret))),

    token: (uid, tokenKey) => read(tokenFile(uid, tokenKey), (bytes) => key.open(bytes)),
    async saveToken(uid, tokenKey, token) {
      await inOrder(tokenDirectory(uid), async () => {
        await mkdir(tokenDirectory(uid), { recursive: true, mode: 0o700 });
        await writeFileAtomically(tokenFile(uid, tokenKey), key.seal(JSON.stringify(token)));
      });
    },

    pullRecord: async (imageId) => read(imageFile(imageId), (bytes) => key.open(bytes)),
    savePullRecord: async (imageId, record) => write(imageFile(imageId), key.seal(JSON.stringify(record))),
    isPulling: async (image) => existsSync(pullFile(image)),
    async setPulling(image, isPulling) {
      const path = pullFile(image);
      if (isPulling) await write(path, image);
      else await inOrder(path, () => rm(path, { force: true }));
    },
    async keepPullRecords(imageIds) {
      for (const name of await readdir(directories.images)) {
        const path = join(directories.images, name);
        if (!imageIds.includes(name)) await inOrder(path, () => rm(path, { force: true }));
      }
    },
  };
}

/** How `keepObjects` knows an object. Names of API objects have no underscore. */
export const objectKey = (kind: RememberedKind, namespace: string, name: string) => `${kind}_${namespace}_${name}`;

/** Names of API objects have no slash; this holds even if a server sends one. */
function checkedName(name: string): string {
  if (name === "" || name === "." || name === ".." || name.includes("/") || name.includes("\0")) {
    throw new Error(`not a name for a state file: ${JSON.stringify(name)}`);
  }
  return name;
}
