import { expect, it } from "vitest";
import { countOutcome, NO_OUTCOME } from "./threshold.ts";

const verdicts = (outcomes: string, probe: { failureThreshold?: number; successThreshold?: number }) => {
  let count = NO_OUTCOME;
  return [...outcomes].map((outcome) => {
    const counted = countOutcome(count, outcome === "+", probe);
    count = counted.count;
    return counted.verdict === undefined ? " " : counted.verdict ? "+" : "-";
  });
};

it.each([
  {
    name: "out after two failures, back after one success (PRB-02)",
    outcomes: "+--+",
    probe: { failureThreshold: 2 },
    want: "+ -+",
  },
  {
    name: "a success in between starts the count anew",
    outcomes: "--+--",
    probe: { failureThreshold: 3 },
    want: "  +  ",
  },
  {
    name: "30 failures in a row, 150 s at 5 s each, are too many for a start (PRB-01)",
    outcomes: `${"-".repeat(30)}`,
    probe: { failureThreshold: 30 },
    want: `${" ".repeat(29)}-`,
  },
  {
    name: "a start after 28 of them, at 140 s, is in time (PRB-01)",
    outcomes: `${"-".repeat(28)}+`,
    probe: { failureThreshold: 30 },
    want: `${" ".repeat(28)}+`,
  },
  {
    name: "dead after six failures in a row, 60 s at 10 s each (PRB-03)",
    outcomes: "+-----+------",
    probe: { failureThreshold: 6 },
    want: "+     +     -",
  },
  { name: "defaults", outcomes: "---", probe: {}, want: "  -" },
  { name: "two successes wanted", outcomes: "-++", probe: { failureThreshold: 1, successThreshold: 2 }, want: "- +" },
])("$name", ({ outcomes, probe, want }) => expect(verdicts(outcomes, probe).join("")).toBe(want));
