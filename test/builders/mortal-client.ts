import type { ApiClient } from "../../shared/client/api-client.ts";

const WRITES = new Set(["create", "submit", "update", "patch", "delete", "deleteCollection"]);

/**
 * A client of somebody who dies with a write: it is carried out, but nobody hears of it, and nothing comes after it.
 * @param writes how many are heard of
 */
export function mortalClient(api: ApiClient, writes: number): { client: ApiClient; isDead: () => boolean } {
  let left = writes;
  const client = new Proxy(api, {
    get(target, name) {
      const method = target[name as keyof ApiClient] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        if (left < 0) return never();
        if (WRITES.has(String(name))) left -= 1;
        const answer = await method.apply(target, args);
        return left < 0 ? never() : answer;
      };
    },
  });
  return { client, isDead: () => left < 0 };
}

const never = () => new Promise<never>(() => {});
