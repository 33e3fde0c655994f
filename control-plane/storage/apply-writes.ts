import { decideWrite, type WritePlan } from "./decide-write.ts";
import type { StoredValue, WriteOp, WriteResult } from "./interface.ts";
import type { RevisionRow } from "./revision-table.ts";
import type { Tables } from "./tables.ts";

/** What a transaction did: an answer to each write, and what changed, in order. */
export interface Applied {
  results: WriteResult[];
  rows: RevisionRow[];
}

/**
 * Judges and applies writes one after the other; to be called inside a transaction. One that is refused has touched
 * nothing, so the others stand.
 * @param newest the store's revision before; each applied write takes the next
 */
export function applyWrites(tables: Tables, ops: WriteOp[], newest: number): Applied {
  const results: WriteResult[] = [];
  const rows: RevisionRow[] = [];
  for (const op of ops) {
    const plan = decideWrite(op, tables.objects.get(op.key), (claim) => tables.claims.holder(claim));
    if ("refuse" in plan) results.push(refusal(tables, op, plan));
    else if (plan.apply === "nothing") results.push({ ok: true, revision: plan.revision });
    else {
      const revision = newest + rows.length + 1;
      rows.push(carryOut(tables, op, plan, revision));
      results.push({ ok: true, revision });
    }
  }
  return { results, rows };
}

type Applicable = Extract<WritePlan, { previous: number | null }>;

function carryOut(tables: Tables, op: WriteOp, plan: Applicable, revision: number): RevisionRow {
  const { key } = op;
  const { previous, claims } = plan;
  for (const claim of plan.release) tables.claims.delete(claim);
  for (const claim of plan.claim) tables.claims.insert(claim, key);
  if (op.op === "delete") {
    const last = tables.revisions.state(previous!)!;
    tables.revisions.insert({ revision, key, type: "DELETED", previous, attributes: null, value: op.value ?? null });
    tables.objects.delete(key);
    const value = op.value ?? last.value;
    return { revision, key, type: "DELETED", previous, attributes: last.attributes, value };
  }
  const type = op.op === "create" ? "ADDED" : "MODIFIED";
  const row: RevisionRow = { revision, key, type, previous, attributes: op.attributes, value: op.value };
  tables.revisions.insert(row);
  if (op.op === "create") tables.objects.insert({ key, revision, uid: op.uid, claims });
  else tables.objects.update({ key, revision, claims });
  return row;
}

function refusal(tables: Tables, op: WriteOp, plan: Extract<WritePlan, { refuse: string }>): WriteResult {
  switch (plan.refuse) {
    case "exists":
    case "conflict": {
      const { key, revision, value }: StoredValue = tables.revisions.state(plan.current)!;
      return { ok: false, reason: plan.refuse, current: { key, revision, value } };
    }
    case "claimed":
      return { ok: false, reason: "claimed", claim: plan.claim, holder: plan.holder };
    case "notFound":
    case "tooLarge":
      return { ok: false, reason: plan.refuse };
    default:
      throw new Error(`unknown refusal of ${op.key}: ${plan satisfies never}`);
  }
}
