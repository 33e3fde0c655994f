import fc from "fast-check";
import { expect, inject, it } from "vitest";
import { rolls } from "../../../test/builders/effort.ts";
import { nanosOf, parseCriLine, printTimestamp } from "./cri-line.ts";

const { seed, times: numRuns } = rolls(inject("effort"), { seed: 20_264, times: 3_000 });
const RUNS = { seed, numRuns };

const piece = fc.constantFrom(
  "2026-01-01T00:00:00.123456789Z",
  "2026-01-01T00:00:00Z",
  "stdout",
  "stderr",
  "F",
  "P",
  " ",
  "  ",
  "text",
  "\u0000",
  "P:F",
  "",
);
const line = fc.oneof(
  fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(""))),
  fc.array(piece, { maxLength: 8 }).map((pieces) => Buffer.from(pieces.join(" "))),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
);

it("any bytes are a line of a container's log, or are passed over", () =>
  fc.assert(
    fc.property(line, (bytes) => {
      const parsed = parseCriLine(bytes);
      if (!parsed) return;
      expect(["stdout", "stderr"]).toContain(parsed.stream);
      // What comes next with every line that is kept.
      expect(typeof nanosOf(parsed.timestamp)).toBe("bigint");
      expect(typeof printTimestamp(parsed.timestamp)).toBe("string");
    }),
    RUNS,
  ));
