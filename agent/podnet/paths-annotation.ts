import { z } from "zod";
import { jsonOrUndefined } from "../../shared/json-or-undefined.ts";
import type { NodeEvent } from "../node/index.ts";
import { type Path, WAY_KINDS, type WayKind, wayKey, worstPaths } from "./decide-paths.ts";

/** Where a node tells how it reaches the pods of the others: `{"node-2":"direct","node-3":"vxlan"}`. */
export const PATHS_ANNOTATION = "hearth.dev/paths";

/** An annotation is read by people; it is not to fill the Node of a cluster with thousands. */
const MAX_NAMED = 100;

/**
 * Those that are not reached come first, then those over the relay, each with the reason; then by name. What is over the
 * bound is counted under "others".
 * @param silent nodes that do not answer by the way that is used
 */
export function renderPaths(paths: readonly Path[], silent: ReadonlySet<string> = new Set()): string {
  const worst = [...worstPaths(paths)].map(
    ([name, path]) => [name, silent.has(name) ? unanswered(path) : path] as const,
  );
  worst.sort(([a, one], [b, other]) => rank(one) - rank(other) || (a < b ? -1 : 1));
  const named = worst.slice(0, MAX_NAMED).map(([name, path]): [string, string] => [name, wordsOf(path)]);
  const rest = worst.length - named.length;
  return JSON.stringify(Object.fromEntries(rest > 0 ? [...named, ["others", String(rest)]] : named));
}

type Told = Pick<Path, "kind" | "reason">;

function unanswered({ kind, reason }: Path): Told {
  if (kind === "none" || kind === "local") return { kind, ...(reason !== undefined && { reason }) };
  if (kind === "relayed") return { kind: "none", reason: `${reason}, and it does not answer over the relay` };
  return { kind: "none", reason: `it does not answer (${kind})` };
}

const rank = ({ kind }: Told) => (kind === "none" ? 0 : kind === "relayed" ? 1 : 2);

const wordsOf = ({ kind, reason }: Told) => (kind === "none" || kind === "relayed" ? `${kind}: ${reason}` : kind);

/** The annotation of some agent: what it says of the nodes that it names. */
export function parsePaths(text: string): Record<string, string> {
  const { data } = z.record(z.string(), z.string()).safeParse(jsonOrUndefined(text));
  return data ?? {};
}

/** Whether a node says of another one that it needs the relay, or may need it, to reach its pods. */
export function asksForRelay(text: string, name: string): boolean {
  // Few nodes have anything to say of this; the others' annotations are not taken apart.
  if (!text.includes(`"${name}":"relayed`) && !text.includes(`"${name}":"none`)) return false;
  return /^relayed|does not answer/.test(parsePaths(text)[name] ?? "");
}

/** Ways that carried nothing when the annotation was written, by the words for what took their place. */
export function failingBefore(text: string): Set<string> {
  const keys = Object.entries(parsePaths(text)).flatMap(([peer, words]) => {
    const [kind] = words.split(":");
    const isRelayed = kind === "relayed" || words.includes("over the relay");
    const used = isRelayed ? WAY_KINDS.length : WAY_KINDS.indexOf(kind as WayKind);
    return WAY_KINDS.slice(0, Math.max(0, used)).flatMap((each) =>
      ([4, 6] as const).map((family) => wayKey(peer, { kind: each, via: { family, value: 0n, mapped: false } })),
    );
  });
  return new Set(keys);
}

/** What is said in one event at most. */
const MAX_TOLD = 10;

/** Events for what has become of the ways to other nodes, by the annotation before and now. */
export function pathEvents(before: string, now: string): NodeEvent[] {
  const [was, is] = [parsePaths(before), parsePaths(now)];
  const isRelayed = (words: string | undefined) => words?.startsWith("relayed") === true;
  const isUsual = (words: string | undefined) => WAY_KINDS.some((kind) => kind === words);
  const relayed = Object.keys(is).filter((name) => isRelayed(is[name]) && !isRelayed(was[name]));
  const back = Object.keys(is).filter((name) => isUsual(is[name]) && isRelayed(was[name]));
  return [
    ...(relayed.length > 0
      ? [
          {
            ...{ type: "Warning" as const, reason: "PodNetworkRelayed" },
            message: `Pods of other nodes are reached through the control plane, slowly: ${listOf(relayed, is)}`,
          },
        ]
      : []),
    ...(back.length > 0
      ? [
          {
            ...{ type: "Normal" as const, reason: "PodNetworkNotRelayed" },
            message: `Pods of other nodes are not reached through the control plane any more: ${listOf(back, is)}`,
          },
        ]
      : []),
  ];
}

function listOf(names: string[], words: Record<string, string>): string {
  const named = names.slice(0, MAX_TOLD).map((name) => `${name} (${words[name]})`);
  return [...named, ...(names.length > MAX_TOLD ? [`${names.length - MAX_TOLD} more`] : [])].join(", ");
}
