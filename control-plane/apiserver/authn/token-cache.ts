import type { UserInfo } from "../attributes.ts";
import { isFresh } from "./fresh.ts";

/** A revoked credential, a deleted pod's token: refused after so long at the latest (upstream's token cache: 10 s). */
export const TOKEN_FRESH_MS = 5_000;
/** Per isolate. The oldest go first; a token that was dropped is verified again. */
const MAX_TOKENS = 4_096;

const tokens = new Map<string, { user: UserInfo; untilMs: number }>();

/** The user of a token verified a moment ago. Callers must not change it. */
export function recallUser(cluster: string, token: string, nowMs: number): UserInfo | undefined {
  const entry = tokens.get(`${cluster}\n${token}`);
  return entry && isFresh(entry, TOKEN_FRESH_MS, nowMs) ? entry.user : undefined;
}

export function rememberUser(cluster: string, token: string, user: UserInfo, nowMs: number): void {
  const key = `${cluster}\n${token}`;
  tokens.delete(key);
  tokens.set(key, { user, untilMs: nowMs + TOKEN_FRESH_MS });
  if (tokens.size > MAX_TOKENS) tokens.delete(tokens.keys().next().value!);
}
