import { expect, it } from "vitest";
import {
  COMPACTION_INTERVAL_MS,
  COMPACTION_STEP_REVISIONS,
  decideCompaction,
  MAX_RETAINED_REVISIONS,
  planCompaction,
} from "./compaction.ts";

const NOW_MS = 1_700_000_000_000;
const due = (toRevision: number) => ({ toRevision, atMs: NOW_MS });

it.each([
  { name: "nothing planned", log: { compacted: 1, newest: 50, next: null }, want: null },
  {
    name: "planned for later",
    log: { compacted: 1, newest: 50, next: { toRevision: 40, atMs: NOW_MS + 1 } },
    want: null,
  },
  { name: "due", log: { compacted: 1, newest: 50, next: due(40) }, want: { toRevision: 40 } },
  { name: "done already", log: { compacted: 40, newest: 50, next: due(40) }, want: null },
  {
    name: "due, but too much for one step",
    log: { compacted: 1, newest: 9_000, next: due(8_000) },
    want: { toRevision: 1 + COMPACTION_STEP_REVISIONS },
  },
  { name: "at its bound", log: { compacted: 1, newest: 1 + MAX_RETAINED_REVISIONS, next: null }, want: null },
  {
    name: "over its bound",
    log: { compacted: 1, newest: 2 + MAX_RETAINED_REVISIONS, next: { toRevision: 5, atMs: NOW_MS + 1 } },
    want: { toRevision: 1 + COMPACTION_STEP_REVISIONS },
  },
])("compacts a log that is $name up to $want", ({ log, want }) => {
  expect(decideCompaction({ ...log, nowMs: NOW_MS })).toEqual(want);
});

it.each([
  {
    name: "up to where the log is, an interval from now",
    next: null,
    want: { toRevision: 50, atMs: NOW_MS + COMPACTION_INTERVAL_MS },
  },
  { name: "nothing anew while one is planned", next: due(40), want: null },
])("plans $name", ({ next, want }) => {
  expect(planCompaction({ compacted: 1, newest: 50, next, nowMs: NOW_MS })).toEqual(want);
});
