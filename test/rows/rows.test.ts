import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/*
 * The rows of the list of behaviours that are built so far, by area: each stands in the title of a test that shows it, or
 * below with the reason why none does.
 */

const ROWS: Record<string, number> = {
  API: 31,
  STO: 11,
  CMD: 14,
  VOL: 7,
  STP: 7,
  CRI: 9,
  CNI: 6,
  NP: 8,
  POD: 16,
  PRB: 6,
  RST: 7,
  TRM: 15,
  EVT: 7,
  EVI: 16,
  RES: 12,
  LOG: 5,
  JOB: 14,
  CJ: 11,
  DNS: 18,
  SVC: 21,
  ING: 5,
  DEP: 29,
  STS: 7,
  DS: 2,
  HPA: 15,
  PDB: 9,
  CTL: 10,
  NODE: 15,
  SCH: 20,
};

const WITHOUT_A_TEST: Record<string, string> = {
  "API-19": "the aggregation layer comes with the extension of the API",
  "API-20": "requests are not queued yet; flow schemas are stored and shown",
  "API-28": "custom resources come with the extension of the API",
  "STO-01": "told of etcd's keys; the store has none",
  "STO-02": "told of etcd's values; ours are JSON",
  "STO-04": "told of etcd's values; ours lie in the platform's storage",
  "STO-05": "told of etcd's listener; the store has none",
  "STO-06": "told of etcd's members; the platform keeps the copies",
  "CMD-08": "takes a node: the agent's own tests",
  "CMD-09": "takes a node: the agent's own tests",
  "CMD-10": "takes a node: the agent's own tests",
  "CMD-11": "takes a node: the agent's own tests",
  "CMD-12": "takes a node: the agent's own tests",
  "CMD-13": "takes a node: the agent's own tests",
  "SVC-10": "tells of kube-proxy's modes; a node has no other than nftables",
  "SVC-11": "tells of kube-proxy's iptables mode",
  "DNS-17": "tells of NodeLocal DNSCache, which a node that answers itself has no need of",
  "ING-04": "custom resources come with the extension of the API",
  "ING-05": "custom resources come with the extension of the API",
  "HPA-15": "metrics come with the extension of the API",
  "CTL-10": "tells of certificates that expire; a node keeps the key with which it joined",
  "DNS-18": "tells of CoreDNS's pods; a node answers without",
};

/** Of areas that are shown in part so far: the rows that have a test, which they keep. */
const ROWS_OF_OTHER_AREAS: Record<string, number[]> = {
  CLU: [8],
  SEC: [2, 8, 18, 19, 20, 21, 23, 26, 27],
};

const ROOT = join(import.meta.dirname, "../..");
/** Not of what is skipped, which shows nothing. */
const TITLE = /(?:\b(?:it|test|describe)(?:\.(?!skip\b)\w+)*\(\s*|\bname: |\)\(\s*)(["'`])((?:(?!\1).)*)\1/g;
const AREAS = Object.keys(ROWS).join("|");

function rowsInTitles(areas: string): Set<string> {
  const ids = new RegExp(String.raw`\b(${areas})-(\d\d)(?: to \1-(\d\d))?`, "g");
  const found = new Set<string>();
  for (const folder of ["test", "control-plane", "agent", "shared", "cli"]) {
    for (const file of readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })) {
      if (!/\.(test|suite)\.ts$/.test(file)) continue;
      for (const [, , title] of readFileSync(join(ROOT, folder, file), "utf8").matchAll(TITLE)) {
        for (const [, area, from, to = from] of title!.matchAll(ids))
          for (let n = Number(from); n <= Number(to); n++) found.add(idOf(area!, n));
      }
    }
  }
  return found;
}

const idOf = (area: string, n: number) => `${area}-${String(n).padStart(2, "0")}`;

it("each row has a test or a reason, and none has both", () => {
  const all = Object.entries(ROWS).flatMap(([area, count]) =>
    Array.from({ length: count }, (_, n) => idOf(area, n + 1)),
  );
  const shown = rowsInTitles(AREAS);
  const excused = new Set(Object.keys(WITHOUT_A_TEST));
  expect(all.filter((id) => !shown.has(id) && !excused.has(id))).toEqual([]);
  expect([...excused].filter((id) => shown.has(id))).toEqual([]);
  expect([...shown, ...excused].filter((id) => !all.includes(id))).toEqual([]);
});

it("rows of other areas that have a test keep it", () => {
  const held = Object.entries(ROWS_OF_OTHER_AREAS).flatMap(([area, rows]) => rows.map((n) => idOf(area, n)));
  const shown = rowsInTitles(Object.keys(ROWS_OF_OTHER_AREAS).join("|"));
  expect(held.filter((id) => !shown.has(id))).toEqual([]);
});

const LIST = join(ROOT, "../shared/behaviours.md");

it.skipIf(!existsSync(LIST))("the list beside the project has these rows and no more", () => {
  const row = new RegExp(String.raw`^\| (${AREAS})-\d+`, "gm");
  const ids = [...readFileSync(LIST, "utf8").matchAll(row)].map(([, area]) => area!);
  const counts = Object.fromEntries(Object.keys(ROWS).map((area) => [area, ids.filter((id) => id === area).length]));
  expect(counts).toEqual(ROWS);
});
