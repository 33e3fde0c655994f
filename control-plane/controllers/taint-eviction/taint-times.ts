import type { Node, Taint } from "../../../shared/api/types.ts";
import { type Notes, parseTime } from "../../runtime/index.ts";
import { noExecuteTaints } from "./decide.ts";

const PREFIX = "taint-eviction/";

/**
 * When taints were put on. Those of the node-lifecycle controller say it themselves (timeAdded); for others the time at
 * which they were first seen is written down, so that waiting goes on after an eviction of the object from memory.
 */
export class TaintTimes {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** Call with each new state of a node, before asking. A node that is gone has no taints. */
  observe(name: string, node: Node | undefined, nowMs: number): void {
    const key = PREFIX + name;
    const before = this.#notes.get<Record<string, number>>(key) ?? {};
    const unsaid = noExecuteTaints(node?.spec?.taints).filter(({ timeAdded }) => !timeAdded);
    const now = Object.fromEntries(unsaid.map((taint) => [idOf(taint), before[idOf(taint)] ?? nowMs]));
    const isSame =
      Object.keys(now).length === Object.keys(before).length && Object.keys(now).every((id) => now[id] === before[id]);
    if (isSame) return;
    if (unsaid.length === 0) this.#notes.delete(key);
    else this.#notes.put(key, now);
  }

  addedMs(node: string, taint: Taint, nowMs: number): number {
    const said = parseTime(taint.timeAdded);
    if (!Number.isNaN(said)) return said;
    return this.#notes.get<Record<string, number>>(PREFIX + node)?.[idOf(taint)] ?? nowMs;
  }
}

const idOf = ({ key, value = "" }: Taint): string => `${key}=${value}`;
