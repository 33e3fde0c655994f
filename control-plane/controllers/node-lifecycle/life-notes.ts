import { readyCondition } from "../../../shared/api/conditions.ts";
import type { Node } from "../../../shared/api/types.ts";
import { type Notes, parseTime } from "../../runtime/index.ts";
import { GRACE_MS, type SignsOfLife } from "./health.ts";

const PREFIX = "node-lifecycle/";

/** What is noted of a node, by name. */
interface NodeNote {
  uid: string;
  /** The heartbeat and renewal last seen, and when that was first seen (epoch ms). */
  seen?: { text: string; atMs: number };
}

/**
 * Notices that a renewal or heartbeat changed, whatever time it carries. Written down only where these times cannot be
 * taken at their word, so that the usual node, whose renewals are those of its tunnel, costs one row in its life.
 */
export class LifeNotes {
  readonly #notes: Notes;
  readonly #seen = new Map<string, { text: string; atMs: number }>();

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Names of all nodes that were registered. */
  names(): string[] {
    return [...this.#notes.list<NodeNote>(PREFIX)].map(([key]) => key.slice(PREFIX.length));
  }

  registeredUid(name: string): string | undefined {
    return this.#notes.get<NodeNote>(PREFIX + name)?.uid;
  }

  register(name: string, uid: string): void {
    this.#notes.put<NodeNote>(PREFIX + name, { uid });
  }

  forget(name: string): void {
    this.#seen.delete(name);
    this.#notes.delete(PREFIX + name);
  }

  notice(node: Node, renewTime: string | undefined, nowMs: number): SignsOfLife {
    const { name, uid = "" } = node.metadata;
    const text = `${renewTime ?? ""} ${readyCondition(node)?.lastHeartbeatTime ?? ""}`;
    const before = this.#seen.get(name) ?? this.#notes.get<NodeNote>(PREFIX + name)?.seen;
    if (before?.text === text) return { renewTime, noticedMs: before.atMs };
    // A look comes only once in a grace period: a time that can be true is the sign's own, not that of the look.
    const ageMs = nowMs - parseTime(renewTime);
    const isPlausible = ageMs >= 0 && ageMs < GRACE_MS;
    const seen = { text, atMs: isPlausible ? nowMs - ageMs : nowMs };
    this.#seen.set(name, seen);
    if (!isPlausible) this.#notes.put<NodeNote>(PREFIX + name, { uid, seen });
    // The first look says nothing: the object may just have woken.
    return { renewTime, noticedMs: before ? seen.atMs : undefined };
  }
}
