import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../shared/message-of.ts";
import type { Pod } from "../api/index.ts";
import type { IdMapping, UserNamespace } from "../cri/index.ts";
import { writeFileAtomically } from "../state/index.ts";
import type { IdSpace } from "./id-space.ts";
import { parseMappings, renderMappings } from "./mappings.ts";
import { allocateRange, checkRange } from "./ranges.ts";

/** In the pod's directory: gone with it, when the pod's containers have ended and its volumes are taken down. */
const FILE = "userns";

export interface UserNamespaces {
  /**
   * The user namespace of a pod: the machine's own unless `hostUsers` is false. The same each time; one call for a pod at
   * a time.
   * @param whyUnsupported why the runtime cannot make one; asked only where a new one is to be made
   * @throws Error in upstream's words
   */
  of(pod: Pod, whyUnsupported: () => Promise<string | undefined>): Promise<UserNamespace>;
  /** After the pod's directory is gone. */
  release(uid: string): void;
}

/**
 * @param options.podsDirectory where each pod has a directory with the name of its uid
 * @param options.random from 0 to below 1
 * @throws Error in upstream's words, with what to do, if what is written down of a pod that may still run cannot be: its ids
 *   would be given to another one
 */
export async function createUserNamespaces({
  podsDirectory,
  space,
  random = Math.random,
}: {
  podsDirectory: string;
  space: IdSpace;
  random?: () => number;
}): Promise<UserNamespaces> {
  const ranges = new Map<string, number>();

  async function recall(uid: string): Promise<number | undefined> {
    const text = await readFile(join(podsDirectory, uid, FILE), "utf8").catch(ignoreMissing);
    if (!text) return undefined;
    const range = parseMappings(text);
    checkRange(ranges, uid, range, space);
    ranges.set(uid, range.from);
    return range.from;
  }

  for (const uid of (await readdir(podsDirectory).catch(ignoreMissing)) ?? []) {
    await recall(uid).catch((cause: unknown) => {
      const file = join(podsDirectory, uid, FILE);
      throw new Error(
        `record pod mappings for existing pod "${uid}": ${messageOf(cause)} (when nothing of the pod runs, remove ${file})`,
        { cause },
      );
    });
  }

  async function allocate(uid: string): Promise<number> {
    const from = allocateRange(ranges, uid, space, random());
    ranges.set(uid, from); // before the first await: nobody else may find it free
    try {
      await mkdir(join(podsDirectory, uid), { recursive: true, mode: 0o750 });
      await writeFileAtomically(join(podsDirectory, uid, FILE), renderMappings(from, space.length));
      return from;
    } catch (error) {
      ranges.delete(uid);
      throw error;
    }
  }

  return {
    async of(pod, whyUnsupported) {
      if (pod.spec.hostUsers !== false) return { mode: "NODE" };
      const { uid } = pod.metadata;
      let from = ranges.get(uid);
      if (from === undefined) {
        const why = await whyUnsupported();
        if (why !== undefined) throw new Error(why);
        from = await allocate(uid).catch((cause: unknown) => {
          throw new Error(`create user namespace: ${messageOf(cause)}`, { cause });
        });
      }
      const mappings: IdMapping[] = [{ hostId: from, containerId: 0, length: space.length }];
      return { mode: "POD", uids: mappings, gids: mappings };
    },
    release: (uid) => void ranges.delete(uid),
  };
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "ENOENT" && error.code !== "ENOTDIR") throw error;
}
