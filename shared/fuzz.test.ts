import fc from "fast-check";
import { describe, expect, inject, it } from "vitest";
import { rolls } from "../test/builders/effort.ts";
import { explainBadJson } from "./api/json-syntax.ts";
import { canonicalQuantity, compareQuantities, parseQuantity, printQuantity } from "./api/quantity.ts";
import {
  matchesRequirements,
  parseFieldSelector,
  parseLabelSelector,
  printLabelSelector,
  type Requirement,
} from "./api/selector.ts";
import { ApiError } from "./api/status.ts";
import { parseJoinToken, printJoinToken } from "./join-token.ts";
import { decodeObject, duplicateFields, parseFieldSelectorFor, RESOURCES } from "./schema/index.ts";
import { decodeFrame, encodeFrame, type Frame } from "./tunnel/frame.ts";
import { encodeMessage, MessageDecoder, TunnelError } from "./tunnel/index.ts";

/*
 * Parsers of what others send: whatever comes, they give a value or their own kind of error, soon. Seeded.
 */

const { seed, times: numRuns } = rolls(inject("effort"), { seed: 20_263, times: 2_000 });
const RUNS = { seed, numRuns };
/** What nothing here may take; most take none at all. */
const LIMIT_MS = 1_000;

/** Runs a parser that may refuse only in its own way. */
function refusesOnly(kind: abstract new (...args: never[]) => Error, parse: () => unknown): unknown {
  const startMs = Date.now();
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof kind)) throw error;
    if (error instanceof ApiError) expect(error.status.code).toBe(400);
    return undefined;
  } finally {
    expect(Date.now() - startMs).toBeLessThan(LIMIT_MS);
  }
}

const pieces = (...texts: string[]) =>
  fc.array(fc.constantFrom(...texts), { maxLength: 12 }).map((some) => some.join(""));
const labelText = fc.oneof(
  pieces("a", "b.c/d", " in ", " notin ", "(", ")", ",", "=", "==", "!=", "!", ">", "<", "7", " ", "é", "\t", "exists"),
  fc.string({ unit: "binary", maxLength: 30 }),
);

describe("selectors", () => {
  it("of labels", () =>
    fc.assert(
      fc.property(
        labelText,
        fc.dictionary(fc.constantFrom("a", "b.c/d"), fc.constantFrom("", "7", "b")),
        (text, labels) => {
          const parsed = refusesOnly(ApiError, () => parseLabelSelector(text)) as Requirement[] | undefined;
          if (!parsed) return;
          // What is printed selects as what was read.
          const again = parseLabelSelector(printLabelSelector(parsed));
          expect(matchesRequirements(again, labels)).toBe(matchesRequirements(parsed, labels));
        },
      ),
      RUNS,
    ));

  it("of fields", () =>
    fc.assert(
      fc.property(
        fc.oneof(pieces("metadata.name", "x", "=", "==", "!=", ",", "\\", "\\,", " "), fc.string()),
        (text) => {
          refusesOnly(ApiError, () => parseFieldSelector(text));
          for (const facts of RESOURCES.slice(0, 12)) refusesOnly(ApiError, () => parseFieldSelectorFor(facts, text));
        },
      ),
      RUNS,
    ));

  it.each([
    ["many requirements", "a=b,".repeat(50_000)],
    ["many values", `a in (${"b,".repeat(50_000)}c)`],
    ["many brackets", "(".repeat(200_000)],
    ["many spaces", `a${" ".repeat(200_000)}=b`],
    ["many escapes", `a=${"\\".repeat(200_001)}`],
    ["a long word", "a".repeat(500_000)],
  ])("of %s", (_name, text) => {
    refusesOnly(ApiError, () => parseLabelSelector(text));
    refusesOnly(ApiError, () => parseFieldSelector(text));
  });
});

describe("quantities", () => {
  const quantity = fc.oneof(
    fc
      .tuple(
        fc.constantFrom("", "+", "-"),
        pieces("0", "1", "9", "5", "00"),
        fc.constantFrom("", ".", ".5", ".000000001", ".0000000001"),
        fc.constantFrom(
          "",
          "n",
          "u",
          "m",
          "k",
          "M",
          "G",
          "T",
          "P",
          "E",
          "Ki",
          "Mi",
          "Gi",
          "Ei",
          "e3",
          "E-3",
          "e18",
          "e99",
        ),
      )
      .map((parts) => parts.join("")),
    fc.string({ maxLength: 10 }),
  );

  it("read, printed and read again are the same", () =>
    fc.assert(
      fc.property(quantity, (text) => {
        const parsed = refusesOnly(RangeError, () => parseQuantity(text)) as
          | ReturnType<typeof parseQuantity>
          | undefined;
        if (!parsed) return;
        const again = parseQuantity(printQuantity(parsed));
        expect(compareQuantities(again, parsed)).toBe(0);
        expect(compareQuantities(parseQuantity(canonicalQuantity(text)), parsed)).toBe(0);
      }),
      RUNS,
    ));

  it.each([
    ["many digits", "9".repeat(1_000_000)],
    ["many zeros", `${"0".repeat(1_000_000)}1`],
    ["many decimals", `0.${"1".repeat(1_000_000)}`],
    ["a great exponent", "1e1000000000"],
    ["a small exponent", "1e-1000000000"],
    ["an exponent of many digits", `1e${"9".repeat(100_000)}`],
    ["many signs", "-".repeat(1_000_000)],
  ])("of %s", (_name, text) => {
    refusesOnly(RangeError, () => printQuantity(parseQuantity(text)));
    refusesOnly(RangeError, () => canonicalQuantity(text));
  });
});

describe("JSON", () => {
  const damaged = fc
    .tuple(
      fc.json({ maxDepth: 4 }),
      fc.nat(),
      fc.constantFrom("", "{", "]", '"', ",", ":", "\\", "\u0000", "-", "e", "."),
    )
    .map(
      ([text, at, other]) => text.slice(0, at % (text.length + 1)) + other + text.slice((at % (text.length + 1)) + 1),
    );

  it("is explained when it is none, and looked at for fields that come twice when it is", () =>
    fc.assert(
      fc.property(fc.oneof(damaged, fc.string({ maxLength: 20 })), (text) => {
        let value: unknown;
        try {
          value = JSON.parse(text);
        } catch {
          expect(explainBadJson(text)).not.toBe("");
          return;
        }
        expect(Array.isArray(duplicateFields(text, value))).toBe(true);
      }),
      RUNS,
    ));

  it("of any kind is decoded, or refused", () =>
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.constantFrom(...RESOURCES), (value, facts) => {
        refusesOnly(ApiError, () => decodeObject(facts.schema, structuredClone(value) as never, "Strict"));
        const pod = { metadata: value, spec: value, status: value };
        refusesOnly(ApiError, () => decodeObject(facts.schema, structuredClone(pod) as never, "Warn"));
      }),
      { ...RUNS, numRuns: 1_000 },
    ));
});

describe("join tokens", () => {
  const token = printJoinToken({
    endpoint: "https://192.0.2.1:6443",
    cluster: "home",
    secret: `abcdef.${"x".repeat(20)}`,
    caHash: `sha256:${"0".repeat(64)}`,
  });

  it("whole, damaged and made up", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary", maxLength: 60 }),
          fc.string().map((text) => `hearth1.${text}`),
          fc
            .jsonValue({ maxDepth: 2 })
            .map((value) => `hearth1.${Buffer.from(JSON.stringify(value)).toString("base64url")}`),
          fc
            .tuple(fc.nat(token.length), fc.string({ maxLength: 3 }))
            .map(([at, text]) => token.slice(0, at) + text + token.slice(at + 1)),
        ),
        (text) => {
          const parsed = refusesOnly(Error, () => parseJoinToken(text)) as { endpoint: string } | undefined;
          if (parsed) expect(parsed.endpoint).toMatch(/^https:/i);
        },
      ),
      RUNS,
    ));
});

describe("the tunnel", () => {
  const frame: fc.Arbitrary<Frame> = fc.oneof(
    fc.record({ type: fc.constant("data" as const), id: fc.nat(), bytes: fc.uint8Array({ maxLength: 50 }) }),
    fc.record({ type: fc.constant("end" as const), id: fc.nat() }),
    fc.record({ type: fc.constant("window" as const), id: fc.nat(), bytes: fc.nat() }),
    fc.record({ type: fc.constant("streams" as const), ids: fc.array(fc.nat(), { maxLength: 9 }) }),
    fc.constant({ type: "query" as const }),
  );

  it("gives back the frames that it was given", () =>
    fc.assert(
      fc.property(frame, (sent) => {
        expect(decodeFrame(encodeFrame(sent))).toEqual(sent);
      }),
      RUNS,
    ));

  it("takes any bytes for a frame, or for a breach of the protocol", () =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array({ maxLength: 40 }),
          fc
            .tuple(fc.constantFrom(1, 0x81, 2, 5, 8), fc.json())
            .map(([code, text]) => Buffer.concat([Buffer.from([code, 0, 0, 0, 1]), Buffer.from(text)])),
        ),
        (bytes) => void refusesOnly(TunnelError, () => decodeFrame(bytes)),
      ),
      RUNS,
    ));

  it("cuts messages back out of any chunks", () =>
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 30 }), { maxLength: 6 }),
        fc.array(fc.nat(200)),
        (messages, cuts) => {
          const whole = Buffer.concat(messages.map((message) => encodeMessage(message)));
          const at = [0, ...cuts.map((cut) => Math.min(cut, whole.length)).sort((a, b) => a - b), whole.length];
          const decoder = new MessageDecoder();
          const got = at.slice(1).flatMap((end, i) => decoder.push(whole.subarray(at[i], end)));
          expect(got.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(
            messages.map((bytes) => Buffer.from(bytes).toString("hex")),
          );
        },
      ),
      RUNS,
    ));

  it("takes any chunks for messages, or for a breach of the protocol", () =>
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 8 }), (chunks) => {
        const decoder = new MessageDecoder();
        for (const chunk of chunks) if (refusesOnly(TunnelError, () => decoder.push(chunk)) === undefined) return;
      }),
      RUNS,
    ));
});
