import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { rolls } from "../../test/builders/effort.ts";
import { decodeContinue, encodeContinue } from "./continue-token.ts";

const { seed, times: numRuns } = rolls(inject("effort"), { seed: 20_265, times: 3_000 });
const RUNS = { seed, numRuns };
const base64url = (text: string) => btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

it("a token gives back what it was made of", () =>
  fc.assert(
    fc.property(
      fc.integer({ min: 1 }),
      fc.constantFrom("default/a", "a", "default/a-b.c", "x/9"),
      (revision, after) => {
        expect(decodeContinue(encodeContinue({ revision, after }))).toEqual({ revision, after });
      },
    ),
    RUNS,
  ));

it("any text is a token, or is told why not", () =>
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 40 }),
        fc.json({ maxDepth: 3, stringUnit: "grapheme-ascii" }).map(base64url),
        fc
          .record(
            {
              v: fc.constantFrom("meta.k8s.io/v1", "v0", 1),
              rv: fc.oneof(fc.integer(), fc.string({ unit: "grapheme-ascii" }), fc.double()),
              start: fc.oneof(fc.string({ unit: "grapheme-ascii" }), fc.constantFrom("a\0", "../a", "a//b", "/", 7)),
            },
            { requiredKeys: [] },
          )
          .map((value) => base64url(JSON.stringify(value))),
      ),
      (text) => {
        const read = decodeContinue(text);
        if ("error" in read) expect(read.error).toMatch(/^continue key is not valid/);
        // Without one the list goes on inconsistently.
        else expect(read.revision ?? 1).toBeGreaterThan(0);
      },
    ),
    RUNS,
  ));
