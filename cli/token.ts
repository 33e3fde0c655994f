import { type JoinToken, printJoinToken } from "../shared/join-token.ts";
import { type AdminApi, openAdminApi } from "./api.ts";
import { UserError } from "./errors.ts";
import { CLUSTER, findHome } from "./home.ts";
import { machineAddress } from "./machine-address.ts";

const UNIT_SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `30m`, `24h`, `7d`, and sums of them as Go prints durations (`1h30m`). */
export function parseDurationSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smhd])/g)];
  const seconds = parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNIT_SECONDS[unit!]!, 0);
  if (seconds <= 0 || parts.map(([part]) => part).join("") !== text) {
    throw new UserError(`"${text}" is not a duration`, "write it like 30m, 24h or 7d");
  }
  return seconds;
}

/** A join token for this cluster. `endpoint` is where the new node will reach the API. */
export async function createJoinToken(
  api: AdminApi,
  { ttlSeconds, endpoint }: { ttlSeconds: number; endpoint: string },
): Promise<JoinToken> {
  const { status, text } = await api.call("POST", `/hearth/v1/clusters/${CLUSTER}/join-tokens`, { ttlSeconds });
  if (status !== 200) throw new UserError(`the control plane gave no join token: HTTP ${status} ${text}`);
  const { token, caHash } = JSON.parse(text) as { token: string; caHash: string };
  return { endpoint, cluster: CLUSTER, secret: token, caHash };
}

export async function tokenCreate(options: { ttl: number; endpoint?: string }): Promise<void> {
  const api = openAdminApi(findHome());
  const endpoint = options.endpoint ?? `https://${machineAddress()}:${new URL(api.server).port}`;
  console.log(printJoinToken(await createJoinToken(api, { ttlSeconds: options.ttl, endpoint })));
}
