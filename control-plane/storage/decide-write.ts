import { utf8Length } from "../../shared/api/utf8.ts";
import { type Key, MAX_VALUE_BYTES, type WriteOp } from "./interface.ts";
import type { ObjectRow } from "./object-table.ts";

/** What a write comes to: what to change, or why not. */
export type WritePlan =
  | {
      apply: "create" | "update" | "delete";
      previous: number | null;
      claim: string[];
      release: string[];
      claims: string[];
    }
  /** A create sent again after its answer got lost: the object is there already, under the same uid. */
  | { apply: "nothing"; revision: number }
  | { refuse: "exists" | "conflict"; current: number }
  | { refuse: "notFound" | "tooLarge" }
  | { refuse: "claimed"; claim: string; holder: Key };

/**
 * Judges one write against the state that it meets.
 * @param current the object's newest row; null if there is none
 * @param holderOf who holds a claim now; null if nobody does
 */
export function decideWrite(
  op: WriteOp,
  current: ObjectRow | null,
  holderOf: (claim: string) => Key | null,
): WritePlan {
  if (op.value !== undefined && isTooLarge(op.value)) return { refuse: "tooLarge" };
  if (op.op === "create") {
    if (current) return decideRepeatedCreate(op.uid, current);
  } else {
    if (!current) return { refuse: "notFound" };
    if (current.revision !== op.expectRevision) return { refuse: "conflict", current: current.revision };
  }
  const held = current?.claims ?? [];
  const claims = op.op === "delete" ? [] : op.claims ? [...new Set(op.claims)] : held;
  const claim = claims.filter((name) => !held.includes(name));
  for (const name of claim) {
    const holder = holderOf(name);
    if (holder !== null && holder !== op.key) return { refuse: "claimed", claim: name, holder };
  }
  const release = held.filter((name) => !claims.includes(name));
  return { apply: op.op, previous: current?.revision ?? null, claim, release, claims };
}

function decideRepeatedCreate(uid: string, current: ObjectRow): WritePlan {
  if (uid !== "" && uid === current.uid) return { apply: "nothing", revision: current.revision };
  return { refuse: "exists", current: current.revision };
}

/** A UTF-16 unit takes at most three bytes, which spares counting in nearly all cases. */
const isTooLarge = (value: string) => value.length * 3 > MAX_VALUE_BYTES && utf8Length(value) > MAX_VALUE_BYTES;
