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
  { name: "defaults", outcomes: "---", probe: {}, want: "  -" },
  { name: "two successes wanted", outcomes: "-++", probe: { failureThreshold: 1, successThreshold: 2 }, want: "- +" },
])("$name", ({ outcomes, probe, want }) => expect(verdicts(outcomes, probe).join("")).toBe(want));
